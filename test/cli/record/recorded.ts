/** A recording of what a test sends. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ExitCode } from '../../../operator/cli/command.ts';
import type { RecordedExchange } from '../../support/recorded-stream.ts';
import { type Invocation, invoke } from '../invocation.ts';

/** A folder that is not there yet. */
export function newFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'chancery-record-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return join(parent, 'recordings');
}

export interface Recording {
  readonly code: ExitCode;
  /** What people are told in the end. */
  readonly said: string;
  readonly folder: string;
  /** The file as it is. */
  readonly text: string;
  readonly exchanges: readonly RecordedExchange[];
}

/** Starts `chancery record` in front of `server`; resolves to its URL when it listens. */
export async function recorder(
  server: string,
  folder: string,
  more: readonly string[] = [],
): Promise<Invocation & { readonly url: string }> {
  const args = ['record', '--server', server, '--out', folder, '--port', '0', ...more];
  const invocation = invoke(args);
  const { stdout, stderr, exit } = invocation;
  await Promise.race([stdout.until(() => stdout.lines.length > 0), exit]);
  const [url] = stdout.lines;
  if (url === undefined) throw new Error(`it has not started: ${stderr.lines.join('\n')}`);
  return { ...invocation, url };
}

/** What `work` sends through a recorder of `server`. */
export async function recordingOf(
  server: string,
  work: (url: string) => Promise<void>,
  folder: string = newFolder(),
): Promise<Recording> {
  const { url, stop, exit, stderr } = await recorder(server, folder);
  await work(url);
  stop();
  const code = await exit;
  const path = join(folder, 'recording.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const exchanges = text.split('\n').filter((line) => line !== '');
  return {
    ...{ code, folder, text, said: stderr.lines.at(-1) ?? '' },
    exchanges: exchanges.map((line) => JSON.parse(line) as RecordedExchange),
  };
}
