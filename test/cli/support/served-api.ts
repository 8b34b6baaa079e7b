import { expect } from 'vitest';
import type { Child } from '../child.ts';
import type { Invocation } from '../invocation.ts';

/** Resolves to the URL that `chancery apiserver` prints when it serves. */
export async function serving({
  stdout,
  exit,
}: Pick<Invocation | Child, 'stdout' | 'exit'>): Promise<string> {
  await Promise.race([stdout.until(() => stdout.lines.length > 0), exit]);
  return stdout.lines[0] ?? expect.unreachable('it ended before it served');
}

/** The JSON at a path of the server. */
export async function read(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

/** The one line of a refusal. */
export function said(message: string | RegExp): unknown {
  return typeof message === 'string'
    ? `chancery apiserver: ${message}`
    : expect.stringMatching(new RegExp(message.source.replace('^', '^chancery apiserver: ')));
}
