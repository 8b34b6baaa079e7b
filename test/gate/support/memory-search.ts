import { createPrivateKey } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** How many bytes of a secret count as a find. */
const RUN = 16;

/** Any `RUN` consecutive bytes contain one whole block of this length. */
const BLOCK = RUN / 2;

const PIECE = 1 << 20;

/** Most of what a process asks for it never uses. */
const UNUSED = Buffer.alloc(PIECE + 1024);

/**
 * What of `secrets` is in the memory of a process: names of those of which 16 consecutive bytes were found, in the order of
 * their bytes or in the reverse one, in which libraries keep large numbers. Linux only.
 */
export function secretsInMemory(
  pid: number,
  secrets: Readonly<Record<string, Buffer>>,
): readonly string[] {
  const found = new Set<string>();
  for (const piece of memoryOf(pid)) {
    for (const [name, secret] of Object.entries(secrets)) {
      if (!found.has(name) && isRunIn(piece, secret)) found.add(name);
    }
  }
  return [...found].sort();
}

/** Bytes of the memory that a process has used. */
export function memorySize(pid: number): number {
  let size = 0;
  for (const piece of memoryOf(pid)) size += piece.length;
  return size;
}

/** The private numbers of a key in PEM, and the lines of the PEM itself. */
export function secretsOf(pem: string): Readonly<Record<string, Buffer>> {
  const jwk = createPrivateKey(pem).export({ format: 'jwk' });
  const numbers = ['d', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((name) => {
    const text = jwk[name];
    return typeof text === 'string' ? [[name, Buffer.from(text, 'base64url')] as const] : [];
  });
  const lines = pem
    .split('\n')
    .filter((line) => line.length >= RUN && !line.startsWith('-----'))
    .map((line, at) => [`line ${at} of the PEM`, Buffer.from(line)] as const);
  return Object.fromEntries([...numbers, ...lines]);
}

/** Whether `RUN` consecutive bytes of `secret` are in `piece`, forwards or backwards. */
export function isRunIn(piece: Buffer, secret: Buffer): boolean {
  return [secret, Buffer.from(secret).reverse()].some((bytes) => {
    for (let start = 0; start + BLOCK <= bytes.length; start += BLOCK) {
      const block = bytes.subarray(start, start + BLOCK);
      for (let at = piece.indexOf(block); at !== -1; at = piece.indexOf(block, at + 1)) {
        if (runAround(piece, at, bytes, start) >= RUN) return true;
      }
    }
    return false;
  });
}

/** How many bytes around a place are the same in both. */
function runAround(piece: Buffer, at: number, bytes: Buffer, start: number): number {
  let before = 0;
  while (before < start && before < at && piece[at - before - 1] === bytes[start - before - 1]) {
    before++;
  }
  let after = 0;
  while (start + after < bytes.length && piece[at + after] === bytes[start + after]) after++;
  return before + after;
}

/** The memory of a process, in pieces that overlap by more than a secret. */
function* memoryOf(pid: number): Generator<Buffer> {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from, to, rights, name = ''] =
        /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/.exec(line) ?? [];
      if (from === undefined || to === undefined) continue;
      // The program's own files are no secret of this run, and devices cannot be read.
      if (!rights?.startsWith('rw') || name === '[vvar]') continue;
      yield* piecesOf(memory, Number.parseInt(from, 16), Number.parseInt(to, 16));
    }
  } finally {
    closeSync(memory);
  }
}

function* piecesOf(memory: number, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; at += PIECE) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE + 1024, to - at));
    try {
      const read = piece.subarray(0, readSync(memory, piece, 0, piece.length, at));
      if (!read.equals(UNUSED.subarray(0, read.length))) yield read;
    } catch {
      // Given back meanwhile.
    }
  }
}
