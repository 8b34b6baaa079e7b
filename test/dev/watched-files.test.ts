import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { QUIET_MS, WatchedFiles } from '../../operator/cli/dev/watched-files.ts';
import { hashOf } from '../../operator/cli/loading/loaded-files.ts';

interface Watched {
  readonly clock: FakeClock;
  readonly files: WatchedFiles;
  readonly file: string;
  readonly changes: (readonly string[])[];
}

/** One file, as it is. */
function watched(isWhole: boolean = true): Watched {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-watched-'));
  const file = join(folder, 'operator.ts');
  writeFileSync(file, 'first');
  const clock = new FakeClock();
  const changes: (readonly string[])[] = [];
  const files = new WatchedFiles({ clock, onChange: (changed) => void changes.push(changed) });
  onTestFinished(() => {
    files.close();
    rmSync(folder, { recursive: true });
  });
  files.watch({ [file]: hashOf(file) ?? '' }, isWhole);
  clock.advance(QUIET_MS);
  return { clock, files, file, changes };
}

test('[DEV-4] several saves in quick succession are reported as one change', () => {
  const { clock, files, file, changes } = watched();

  for (let save = 1; save <= 20; save++) {
    writeFileSync(file, `save ${save}`);
    files.noteSave();
    clock.advance(QUIET_MS / 2);
  }
  expect(changes).toEqual([]);
  clock.advance(QUIET_MS / 2);
  clock.advance(10 * QUIET_MS);

  expect(changes).toEqual([[file]]);
});

test('saving an unchanged file is not reported as a change', () => {
  const { clock, files, file, changes } = watched();

  writeFileSync(file, 'first');
  files.noteSave();
  clock.advance(QUIET_MS);
  expect(changes).toEqual([]);
  writeFileSync(file, 'second');
  files.noteSave();
  clock.advance(QUIET_MS);
  files.noteSave();
  clock.advance(QUIET_MS);

  expect(changes).toEqual([[file]]);
});

test('a save is reported as a change even if it happens after the operator loaded the file, and before it is watched', () => {
  const { clock, files, file, changes } = watched();
  const loaded = hashOf(file) ?? '';
  writeFileSync(file, 'saved while the operator loaded');

  files.watch({ [file]: loaded }, true);
  clock.advance(QUIET_MS);

  expect(changes).toEqual([[file]]);
});

test.each([
  ['written', (file: string) => writeFileSync(file, 'second')],
  [
    'replaced by another file',
    (file: string) => {
      writeFileSync(`${file}.draft`, 'second');
      renameSync(`${file}.draft`, file);
    },
  ],
])('a change is reported if a watched file is %s', async (_, save) => {
  const { clock, file, changes } = watched();
  const scheduled = clock.pending;

  save(file);
  await eventually(() => clock.pending > scheduled);
  clock.advance(QUIET_MS);

  expect(changes).toEqual([[file]]);
});

test('while an import fails, a new source file in the same folder is reported as a change', async () => {
  const { clock, file, changes } = watched(false);
  const other = file.replace('operator.ts', 'missing.ts');

  writeFileSync(other, 'now it is here');
  await eventually(() => clock.pending > 0);
  clock.advance(QUIET_MS);

  expect(changes).toEqual([[other]]);
});
