// Which rows of a long list are drawn, by where it is scrolled to. Pure.
//
// Browsers cut an element off at some 17 million pixels. Beyond TALLEST the scroll position is mapped in proportion, so that the last row of
// a list of any length can be reached.

const TALLEST = 8_000_000;
/** Rows that are drawn above and below what is seen. */
export const SPARE = 8;

export interface Window {
  first: number;
  last: number;
  /** Height of what is scrolled, in pixels. */
  height: number;
  /** Where row `first` begins in it. */
  top: number;
}

export function windowOf(total: number, rowHeight: number, scrollTop: number, viewHeight: number): Window {
  const whole = total * rowHeight;
  const height = Math.min(whole, TALLEST);
  const reach = Math.max(0, height - viewHeight);
  const at = Math.min(Math.max(0, scrollTop), reach);
  // Where the top of the view is in a list that is not cut.
  const exact = whole <= TALLEST || reach === 0 ? at : (at / reach) * (whole - viewHeight);
  const first = Math.max(0, Math.floor(exact / rowHeight) - SPARE);
  const last = Math.min(total - 1, Math.ceil((exact + viewHeight) / rowHeight) + SPARE);
  return { first, last, height, top: at - (exact - first * rowHeight) };
}

/** The scroll position at which a row is in view; the present one where it is already. */
export function scrollFor(index: number, total: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const whole = total * rowHeight;
  const height = Math.min(whole, TALLEST);
  const reach = Math.max(0, height - viewHeight);
  const isCut = whole > TALLEST;
  const exact = isCut && reach > 0 ? (scrollTop / reach) * (whole - viewHeight) : scrollTop;
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  const wanted = top < exact ? top : bottom > exact + viewHeight ? bottom - viewHeight : exact;
  return isCut ? (wanted / (whole - viewHeight)) * reach : wanted;
}
