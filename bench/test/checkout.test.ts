/** The other checkout of `--against`: what must be there, and what is taken from it. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROFILES } from '../../test/support/load/profiles.ts';
import { CheckoutError, openCheckout } from '../checkout.ts';
import { environmentOf } from '../run.ts';

const FILES = {
  'package.json': JSON.stringify({
    name: 'chancery',
    exports: { '.': { 'chancery-source': './index.ts', default: './dist/index.js' } },
  }),
  'index.ts': '',
  'dist/index.js': '',
  'bench/build.ts': `
    import { writeFileSync } from 'node:fs';
    export function buildSubjects(): void { writeFileSync(new URL('built', import.meta.url), ''); }
  `,
  'bench/subjects.ts': `
    type Start = { readonly url: string };
    export const SUBJECTS = {
      'chancery-object': { title: 'old', command: ({ url }: Start) => ['old', url] },
    };
  `,
};

function checkoutOf(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chancery-checkout-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function refusalOf(folder: string): Promise<unknown> {
  return await openCheckout(folder, ['chancery-object', 'chancery-object']).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('the benchmarks of the other checkout build its subjects, and the subjects use the built entry of that checkout', async () => {
  const folder = checkoutOf(FILES);

  const { subjects, buildSubjects } = await openCheckout(folder, ['chancery-object']);
  buildSubjects();

  const old = subjects['chancery-object'];
  const start = { url: 'http://x', profileName: 'pod', profile: PROFILES.pod, objects: 1 };
  expect(old.command(start)).toEqual(['old', 'http://x']);
  expect(environmentOf(old, '/home').CHANCERY_ENTRY).toBe(join(folder, 'dist/index.js'));
  expect(existsSync(join(folder, 'bench/built'))).toBe(true);
});

test('a checkout that is not built is refused, and the error contains the commands to build it', async () => {
  const { 'dist/index.js': _, ...sources } = FILES;
  const folder = checkoutOf(sources);

  const refusal = await refusalOf(folder);

  expect(refusal).toBeInstanceOf(CheckoutError);
  expect(refusal).toMatchObject({
    folder,
    message: `--against ${folder}: it is not built: npm ci && npm run build there`,
  });
});

test('a folder that is no checkout of this repository is refused', async () => {
  const { 'bench/subjects.ts': _, ...others } = FILES;

  expect(await refusalOf(checkoutOf(others))).toBeInstanceOf(CheckoutError);
  expect(await refusalOf('/nowhere')).toMatchObject({
    message: '--against /nowhere: no checkout of this repository: it has no benchmarks',
  });
});

test('a checkout whose benchmarks lack a subject is refused, and the error contains the subject', async () => {
  const folder = checkoutOf({ ...FILES, 'bench/subjects.ts': 'export const SUBJECTS = {};' });

  expect(await refusalOf(folder)).toMatchObject({
    name: 'CheckoutError',
    message: `--against ${folder}: its benchmarks have no chancery-object`,
  });
});

test('a checkout whose benchmarks cannot be loaded is refused, and the error contains the reason', async () => {
  const folder = checkoutOf({ ...FILES, 'bench/build.ts': `throw new Error('of old');` });

  expect(await refusalOf(folder)).toMatchObject({
    name: 'CheckoutError',
    message: `--against ${folder}: its bench/build.ts cannot be loaded: of old`,
  });
});
