// The data of one message, fetched in parts as they are looked at.
//
// A message may be as long as the queue manager allows. Parts are kept; none is asked for twice. Text comes as the server converts it.

import { send } from '../../api/request.ts';

const AT = 'GET /api/v1/qmgr/{qmgr}/queue/{queue}/messages/{position}/body';

/** Bytes of one part. */
export const PART = 64 * 1024;
/** Text beyond this is shown when the person asks for it. */
export const FIRST_TEXT = 1024 * 1024;

export interface Where {
  qmgr: string;
  queue: string;
  position: string;
}

export class Parts {
  private readonly parts = new Map<number, Uint8Array>();
  private readonly asked = new Set<number>();

  /** `told` is called when a part has come, or could not be had. */
  constructor(
    private readonly where: Where,
    readonly length: number,
    private readonly told: (error?: unknown) => void,
  ) {}

  /** A byte; undefined: it is not here yet. */
  byte(at: number): number | undefined {
    return this.parts.get(Math.floor(at / PART))?.[at % PART];
  }

  /** Asks for what is missing of these bytes. */
  want(from: number, to: number): void {
    const last = Math.floor(Math.max(0, Math.min(to, this.length) - 1) / PART);
    for (let part = Math.floor(from / PART); part <= last; part += 1) {
      if (this.asked.has(part) || part * PART >= this.length) continue;
      this.asked.add(part);
      bytesOf(this.where, part * PART, PART).then(
        (bytes) => {
          this.parts.set(part, bytes);
          this.told();
        },
        (error: unknown) => {
          this.asked.delete(part);
          this.told(error);
        },
      );
    }
  }
}

export async function bytesOf({ qmgr, queue, position }: Where, offset: number, length: number): Promise<Uint8Array> {
  const answer = await send(AT, { path: { qmgr, queue, position }, query: { offset, length } });
  return new Uint8Array(await answer.arrayBuffer());
}

/** The data as text in a CCSID; of UTF-8 wrong bytes become a sign of their own. */
export async function textOf({ qmgr, queue, position }: Where, ccsid: number, length: number, signal: AbortSignal): Promise<string> {
  if (ccsid === UTF_8) {
    const answer = await send(AT, { path: { qmgr, queue, position }, query: { offset: 0, length }, signal });
    return new TextDecoder().decode(await answer.arrayBuffer());
  }
  const answer = await send(AT, { path: { qmgr, queue, position }, query: { offset: 0, length, ccsid }, signal });
  return await answer.text();
}

export const UTF_8 = 1208;

/** The CCSID that a text is read in when nothing else is said. */
export function usualCcsid(ccsid: number | undefined): number {
  return ccsid && ccsid > 0 ? ccsid : UTF_8;
}
