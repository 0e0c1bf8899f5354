// Questions to the server, and its errors on the page.

import { state } from "./state.js";

export class Refused extends Error {}

// Asks an address, and gives its answer; an error is the sentence that the server says.
export async function ask(name, values = {}) {
  let response;
  try {
    response = await fetch(`api/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(values),
    });
  } catch {
    throw new Refused("The server does not answer: has it been ended?");
  }
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Refused(answer.hint ? `${answer.error} (${answer.hint})` : answer.error);
}

// The text as a question holds it.
export function textValues() {
  const values = { special: state.special };
  if (state.text !== null) return { ...values, text: state.text };
  let binary = "";
  for (let at = 0; at < state.bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...state.bytes.subarray(at, at + 0x8000));
  }
  return { ...values, base64: btoa(binary) };
}

// Runs one call at a time and, of those that come meanwhile, only the last: what is shown is
// always the answer to the newest question. An error is told on the page, and gone with the next
// answer.
export function newest(call) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        if (await told(call())) tell(null);
      } while (again);
    } finally {
      running = false;
    }
  };
}

// Waits for a call; what it refuses is told on the page. Whether it went well.
export async function told(call) {
  try {
    await call;
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(error.message);
    return false;
  }
}

export function tell(problem) {
  const place = document.getElementById("problem");
  place.hidden = problem === null;
  place.textContent = problem ?? "";
}
