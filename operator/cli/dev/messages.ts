import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { Declarations } from './declarations.ts';

/** Hashes of the contents of files, keyed by absolute path. */
export type FileHashes = Readonly<Record<string, string>>;

/** A message from an operator's process to `chancery dev`. */
export type FromOperator =
  /** The modules are loaded. The operator waits for the message `go`. */
  | {
      readonly kind: 'loaded';
      readonly pid: number;
      readonly files: FileHashes;
      readonly declarations: Declarations;
    }
  /** The modules could not be loaded. The process prints the reason to standard error, and ends. */
  | { readonly kind: 'failed'; readonly files: FileHashes }
  /** The process has loaded these files. */
  | { readonly kind: 'files'; readonly files: FileHashes };

/**
 * A message from `chancery dev` to an operator's process: run now, with these variables in the
 * environment.
 */
export interface ToOperator {
  readonly kind: 'go';
  readonly environment: Readonly<Record<string, string>>;
}

/** Sends a message as one line of JSON. */
export function sendMessage(channel: Duplex, message: FromOperator | ToOperator): void {
  channel.write(`${JSON.stringify(message)}\n`);
}

/**
 * Calls `receive` for each message, until the other process ends. A reset of the channel also
 * counts as the end.
 */
export function onMessage<M>(channel: Duplex, receive: (message: M) => void): void {
  createInterface({ input: channel })
    .on('line', (line) => receive(JSON.parse(line) as M))
    .on('error', () => {}); // the error of the channel, again
}
