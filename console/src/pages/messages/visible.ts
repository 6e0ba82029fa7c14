// Text of messages made safe to look at: what controls a terminal or turns the order of letters is shown as a sign of its own.
//
// Pure. Nothing of a message is ever markup; this is about characters that deceive or disappear. Letters of scripts that run from right to left
// stay as they are.

/** Zero width, order of letters, line ends of Unicode, byte order mark. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** On one line: tabs and line ends become blanks. */
export function visible(text: string): string {
  return text.replace(/\s*[\n\r]\s*|\t/g, ' ').replace(HIDDEN, sign);
}

/** A line of a text: tabs stay. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN, sign);
}

function sign(character: string): string {
  const code = character.charCodeAt(0);
  return `\u27e8${code.toString(16).toUpperCase().padStart(2, '0')}\u27e9`;
}
