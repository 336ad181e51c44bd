//! Random schedules: whatever comes in whichever order, the rules about calls hold.

mod acts;
mod world;

use proptest::prelude::*;

use world::World;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_schedule_keeps_the_rules(
        options in any::<u8>(),
        schedule in prop::collection::vec(any::<(u8, u8, u8)>(), 1..80),
    ) {
        let mut world = World::new(options);
        world.act(0, 0, 0);
        for (what, a, b) in schedule {
            world.act(what, a, b);
        }
        world.settle();
        // The thread still takes a message, and what it sends is whole.
        world.act(0, 0, 0);
        prop_assert!(world.driver.session.is_streaming());
    }
}
