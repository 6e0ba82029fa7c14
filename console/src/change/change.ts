// What a change is before it is made: sentences for people, and steps that can be shown as MQSC, as curl and as a command line.
//
// `propose` opens the dialog (apply.tsx) and is the one way to change anything. What is shown is what is sent: a step of MQSC is sent as that
// text, a step of REST as that request.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { addressOf, type Operation, problemIn, send, type Wish } from '../api/request.ts';
import { MQSC_PATH, run } from '../api/mqsc.ts';

export interface MqscStep {
  mqsc: string;
  /** A reason that says that it was done before, such as 3174 where a connection has ended by itself. */
  unless?: number;
}

export interface RestStep {
  /** The operation, such as 'POST /api/v1/qmgr/{qmgr}/queue/{queue}/jobs'. */
  operation: Operation;
  path?: Record<string, string>;
  query?: Record<string, string>;
  json?: unknown;
  /** Bytes in place of JSON, such as an archive, with the name of their file. */
  file?: { name: string; type: string; bytes: Blob };
  /** The same as a command of `quaymaster`, where there is one. */
  command?: string;
  /** Is given the answer of the server. */
  answered?(answer: Response): Promise<void> | void;
}

export type Step = MqscStep | RestStep;

export interface Change {
  /** 'Change queue ORDERS'. */
  title: string;
  qmgr: string;
  /** What will happen: counts, samples, warnings. */
  children?: ComponentChildren;
  /** A function where `children` has fields that steps depend on: what is shown follows what is typed. */
  steps: readonly Step[] | (() => readonly Step[]);
  /** Whether the fields are filled in; default: yes. */
  isReady?(): boolean;
  /** It needs room, such as a form. */
  wide?: boolean;
  /** It destroys something. */
  danger?: boolean;
  /** A text that has to be typed first, such as the name of a queue with many messages. */
  typed?: string | undefined | (() => string | undefined);
  /** Name of the button: 'Apply' where it says no more. */
  apply?: string | (() => string);
  /** What is true afterwards: a sentence. */
  done: string | (() => string);
}

interface Proposed {
  change: Change;
  settle(isDone: boolean): void;
}

export const proposed = signal<Proposed | undefined>(undefined);

/** Shows the change. Resolves when it was made (true) or given up (false). */
export function propose(change: Change): Promise<boolean> {
  proposed.peek()?.settle(false);
  return new Promise((settle) => {
    proposed.value = {
      change,
      settle(isDone) {
        proposed.value = undefined;
        settle(isDone);
      },
    };
  });
}

/** Makes one step. */
export async function make(qmgr: string, step: Step): Promise<void> {
  if ('mqsc' in step) {
    try {
      await run(qmgr, step.mqsc);
    } catch (error) {
      if (step.unless === undefined || problemIn(error).reason?.code !== step.unless) throw error;
    }
    return;
  }
  const { operation, path, query, json, file } = step;
  const sent = file ? { body: file.bytes, headers: { 'Content-Type': file.type } } : { json };
  const answer = await send(operation, { path, query, ...sent } as unknown as Wish<Operation>);
  await step.answered?.(answer);
}

/** All steps as MQSC; undefined: one of them is no MQSC command. */
export function asMqsc(steps: readonly Step[]): string | undefined {
  return steps.length > 0 && steps.every((step): step is MqscStep => 'mqsc' in step) ? steps.map((step) => step.mqsc).join('\n') : undefined;
}

/** All steps as curl commands, for the user who is signed in. */
export function asCurl(qmgr: string, steps: readonly Step[], user: string, origin: string): string {
  return steps.map((step) => {
    const [method, address, body] =
      'mqsc' in step
        ? ['POST', addressOf(MQSC_PATH, { qmgr }), { type: 'runCommand', parameters: { command: step.mqsc } }]
        : [step.operation.split(' ')[0] ?? 'POST', addressOf(step.operation.split(' ')[1] ?? '', step.path, step.query), step.json];
    const lines = [`curl --cacert ca.crt -u ${shell(user)} -X ${method} ${shell(origin + address)}`, `-H 'ibm-mq-rest-csrf-token: curl'`];
    const file = 'mqsc' in step ? undefined : step.file;
    if (file) lines.push(`-H ${shell(`Content-Type: ${file.type}`)}`, `--data-binary ${shell(`@${file.name}`)}`);
    if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d ${shell(JSON.stringify(body))}`);
    return lines.join(' \\\n  ');
  }).join('\n');
}

/** All steps as a command line on the machine of the server; undefined: there is none. */
export function asCommand(qmgr: string, steps: readonly Step[]): string | undefined {
  const lines = steps.map((step) => ('mqsc' in step ? `quaymaster mqsc ${qmgr} ${shell(step.mqsc)}` : step.command));
  return lines.every((line) => line !== undefined) ? lines.join('\n') : undefined;
}

/** A word for a POSIX shell. */
export function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
