/** Builds the program that renders charts, once for all runs with the same sources. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { GO_SOURCES, pathOf } from '../../../../test/tools/tools.ts';

const sources = fileURLToPath(new URL('./program/', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/helm-program/', import.meta.url));

/** Sends `input` as JSON to the program, and returns the JSON that it answers with. */
export async function askProgram(input: object): Promise<unknown> {
  const child = spawn(builtProgram(), [], { stdio: ['pipe', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
    child.stdin.once('error', reject).end(JSON.stringify(input));
  });
  if (code !== 0) throw new Error(`the program that renders charts failed: ${texts.stderr}`);
  return JSON.parse(texts.stdout);
}

/** The path of the program. Built in a folder of its own and moved: two runs may build at once. */
function builtProgram(): string {
  const go = pathOf('go');
  const built = join(cache, fingerprint(go));
  if (isThere(built)) return built;
  mkdirSync(cache, { recursive: true });
  const fresh = join(mkdtempSync(join(cache, 'building-')), 'program');
  const { status, stderr } = spawnSync(go, ['build', '-o', fresh, '.'], {
    cwd: sources,
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'off', GOPATH: GO_SOURCES, GOFLAGS: '' },
  });
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  renameSync(fresh, built);
  return built;
}

function fingerprint(go: string): string {
  const hash = createHash('sha256').update(dirname(go));
  for (const name of readdirSync(sources).sort()) {
    hash.update(`\0${name}\0`).update(readFileSync(join(sources, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
