import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What a directory such as `setup-envtest` prints has in it. */
type Program = 'etcd' | 'kube-apiserver';

/**
 * A directory with programs that stand in for etcd and kube-apiserver.
 *
 * @param scripts - a line of JavaScript in place of a stand-in, for one that misbehaves.
 */
export function standInAssets(scripts: Partial<Record<Program, string>> = {}): string {
  const folder = writeAssets(scripts);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The same, for the caller to remove. */
export function writeAssets(scripts: Partial<Record<Program, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-assets-'));
  for (const name of ['etcd', 'kube-apiserver'] as const) {
    const standIn = new URL(`stand-ins/${name}.ts`, import.meta.url).href;
    const script = scripts[name] ?? `import(${JSON.stringify(standIn)});`;
    const text = `#!${process.execPath} --conditions=chancery-source\n${script}\n`;
    writeFileSync(join(folder, name), text, { mode: 0o700 });
  }
  return folder;
}

/** Command lines of the processes of this machine that `text` occurs in. */
export function processesWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // it is gone
      }
    })
    .filter((line) => line.includes(text));
}
