// Where a text is broken into lines of a window: at its own line ends, and at a width where it has none.
//
// Pure. A surrogate pair stays together. Four megabytes on one line are some milliseconds.

export interface Wrapped {
  text: string;
  /** Where each line begins, and behind the last one the end. */
  starts: Uint32Array;
  /** The number of the text's own line that a line belongs to, and whether it begins it. */
  numbers: Uint32Array;
  count: number;
}

export function wrap(text: string, width: number): Wrapped {
  const starts: number[] = [0];
  const numbers: number[] = [1];
  let number = 1;
  let begin = 0;
  while (begin < text.length) {
    const end = text.indexOf('\n', begin);
    const stop = end < 0 ? text.length : end;
    const last = end > begin && text.charCodeAt(end - 1) === 0x0d ? end - 1 : stop;
    let at = begin;
    while (last - at > width) {
      at += width;
      const code = text.charCodeAt(at);
      if (code >= 0xdc00 && code <= 0xdfff) at -= 1;
      starts.push(at);
      numbers.push(number);
    }
    if (end < 0) break;
    begin = end + 1;
    number += 1;
    starts.push(begin);
    numbers.push(number);
  }
  const count = starts.length;
  starts.push(text.length);
  return { text, starts: Uint32Array.from(starts), numbers: Uint32Array.from(numbers), count };
}

export function lineOf({ text, starts }: Wrapped, index: number): string {
  const line = text.slice(starts[index], starts[index + 1]);
  return line.endsWith('\r\n') ? line.slice(0, -2) : line.endsWith('\n') ? line.slice(0, -1) : line;
}

/** Whether a line begins one of the text's own. */
export function beginsLine({ numbers }: Wrapped, index: number): boolean {
  return index === 0 || numbers[index] !== numbers[index - 1];
}

/** The line that holds a place of the text. */
export function lineAt({ starts, count }: Wrapped, place: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
