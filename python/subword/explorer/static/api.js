// Questions to the server, and its errors on the page.

import { toBase64 } from "./address.js";
import { state } from "./state.js";

export class Refused extends Error {}

// Asks an address, and gives its answer; an error is the sentence that the server says.
export const ask = (name, values = {}) => send(name, JSON.stringify(values), "json");

// Sends a body to an address.
export async function send(path, body, kind) {
  let response;
  try {
    const headers = { "content-type": `application/${kind}` };
    response = await fetch(`api/${path}`, { method: "POST", headers, body });
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
  return { ...values, base64: toBase64(state.bytes) };
}

// Runs one call at a time and, of those that come meanwhile, only the last: what is shown is
// always the answer to the newest question. Meanwhile the element is busy, which the style sheet
// shows if it takes a while. An error is told on the page, and gone with the next answer.
export function newest(element, call) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    element.setAttribute("aria-busy", "true");
    try {
      do {
        again = false;
        if (await told(call())) solved("question");
      } while (again);
    } finally {
      running = false;
      element.setAttribute("aria-busy", "false");
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

// Tells a problem, or none. What is wrong with the address lasts until something else is chosen;
// what a question was refused for, until the next one is answered.
export function tell(problem, isOfAddress = false) {
  const place = document.getElementById("problem");
  place.hidden = problem === null;
  place.textContent = problem ?? "";
  place.dataset.of = isOfAddress ? "address" : "question";
}

// What is told about the address, or about a question, is over.
export function solved(of) {
  if (document.getElementById("problem").dataset.of === of) tell(null);
}
