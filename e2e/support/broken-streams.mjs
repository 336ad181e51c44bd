// Streams that fail, from any server that implements the words "Crash", "Cut the line" and "Stop short".

import assert from "node:assert/strict";

import { eventually } from "./chat.mjs";

/**
 * Tests that the user sees each failure, and that the conversation continues.
 *
 * @param agentTest the test function of a suite with a real server
 * @param picture the name of the screenshot of the error
 */
export function brokenStreams(agentTest, picture) {
  agentTest("an error in the stream shows a notice, keeps the text, and the next message works", {}, async (chat) => {
    await chat.ask("Crash");
    await chat.notice(/the model exploded/).waitFor();
    await chat.says("About to fail.");
    await chat.picture(picture);
    await chat.ask("Are you back?");
    await chat.says("You said: Are you back?");
  });

  for (const [words, allow] of [
    ["Cut the line", [/ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource/]],
    ["Stop short", []],
  ]) {
    agentTest(`a truncated stream (${words}) shows a notice, and Retry repeats it`, { allow }, async (chat, agent) => {
      await chat.ask(words);
      await chat.says("This answer breaks off");
      await chat.page.getByRole("button", { name: "Retry" }).click();
      await eventually(async () => assert.equal((await agent.requests()).length, 2));
      await chat.idle();
      await chat.says(/before its end,\s*$/m);
      assert.equal(await chat.page.getByRole("button", { name: "Retry" }).count(), 0, "the notice is gone");
      await chat.ask("Still there?");
      await chat.says("You said: Still there?");
    });
  }
}
