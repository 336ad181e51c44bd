// examples/board: the agent gets the state of the board when its run starts, and every call that runs reaches its end.

import assert from "node:assert/strict";

import { accessible } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { application } from "../support/examples.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await application("board");
  open.push(page);
  return page;
});
const address = ({ url }) => url;
const column = (chat, name) => chat.page.getByRole("region", { name });

chatTest("a signal changed by a handler is sent with the next run", { address }, async (chat) => {
  await chat.ask("Add Write the guide");
  await column(chat, "To do").getByText("Write the guide").waitFor();
  await chat.says('The board: {"To do":["Draw the harbour","Write the guide"],"Doing":["Order paint"],"Done":["Count the boats"]}.');

  await chat.ask("Move 1 doing");
  await column(chat, "Doing").getByText("Draw the harbour").waitFor();
  await chat.says('"Doing":["Draw the harbour","Order paint"]');

  await chat.ask("List");
  await chat.says(/list_cards said .*"title":"Count the boats","column":"done"/s);
  await accessible(chat.page);
});

chatTest("an action disabled by its own handler completes", { address }, async (chat) => {
  await chat.ask("What can you do?");
  await chat.says("I may use: list_cards, add_card, move_card, delete_done, estimate_card.");
  await chat.send("Sweep");
  const card = chat.card("delete_done");
  await card.getByText("Delete what is done: Count the boats?").waitFor();
  await chat.picture("board approval");
  await chat.approve(card);
  await chat.idle();

  await chat.status(card, "complete");
  await chat.says(/delete_done said .*1 deleted/s);
  await chat.says('"Done":[]}. The selected card: null. I may use: list_cards, add_card, move_card, estimate_card.');
  assert.equal(await card.count(), 1, "its card stays");

  // The tool is offered again when there is something to delete.
  await chat.ask("Move 2 done");
  await eventually(async () => assert.match(await chat.messages("assistant").last().innerText(), /move_card, delete_done, estimate_card\.$/));
});

chatTest("a handler asks the user with a form in its card", { address }, async (chat) => {
  await chat.send("Estimate 2");
  const card = chat.card("estimate_card");
  await card.getByLabel("How many points is “Order paint”?").fill("5");
  await chat.picture("board question");
  await card.getByRole("button", { name: "Answer" }).click();
  await chat.idle();
  await card.getByText("Estimated: 5 points").waitFor();
  await column(chat, "Doing").getByText("5 points").waitFor();

  await chat.ask("Estimate 9");
  await chat.says(/estimate_card said .*There is no card 9/s);
});

for (const colorScheme of ["light", "dark"]) {
  chatTest(`the board in the ${colorScheme} scheme`, { address, colorScheme }, async (chat) => {
    await chat.ask("Add Write the guide");
    await accessible(chat.page);
    await chat.picture(`board ${colorScheme}`);
  });
}
