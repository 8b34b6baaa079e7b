import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createManager } from 'chancery/low-level';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findVisibleToken, TOKEN_FOLDERS } from '../../operator/manager/safety/visible-token.ts';

const JWT = `eyJ${'a'.repeat(80)}.eyJ${'b'.repeat(80)}.c`;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The layout that the kubelet makes of a projected volume. */
function projected(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, '..2026_11_21'));
  symlinkSync('..2026_11_21', join(folder, '..data'));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, '..2026_11_21', name), content);
    symlinkSync(join('..data', name), join(folder, name));
  }
  return folder;
}

test('the token search looks at both paths where Kubernetes mounts a token', () => {
  expect(TOKEN_FOLDERS).toEqual([
    '/var/run/secrets/kubernetes.io/serviceaccount',
    '/run/secrets/kubernetes.io/serviceaccount',
  ]);
});

describe('files that count as a token', () => {
  test('a mounted token counts as visible under its usual name', async () => {
    const folder = projected({ token: JWT, 'ca.crt': 'x', namespace: 'demo' });

    expect(await findVisibleToken([folder])).toBe(join(folder, 'token'));
  });

  test('a token in the folder ..data counts as visible even if the link to it is gone', async () => {
    const folder = projected({ token: JWT });
    rmSync(join(folder, 'token'));

    const found = await findVisibleToken([folder]);

    expect([join(folder, '..2026_11_21', 'token'), join(folder, '..data', 'token')]).toContain(
      found,
    );
  });

  test.each([
    ['empty', (path: string) => writeFileSync(path, '')],
    ['a link that leads nowhere', (path: string) => symlinkSync('..data/token', path)],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'readable by other users',
      (path: string) => {
        writeFileSync(path, JWT);
        chmodSync(path, 0);
      },
    ],
  ])('a file named token that is %s counts as a visible token', async (_, make) => {
    const folder = emptyFolder();
    make(join(folder, 'token'));

    expect(await findVisibleToken([folder])).toBe(join(folder, 'token'));
  });

  test('a JSON Web Token in a file with another name counts as visible', async () => {
    const folder = projected({ 'api-token': JWT });

    expect(await findVisibleToken([folder])).toMatch(/api-token$/);
  });

  test.each([
    ['a file', (folder: string) => symlinkSync('loop', join(folder, 'loop'))],
    [
      'the folder itself',
      (folder: string) => {
        rmSync(folder, { recursive: true });
        symlinkSync(folder, folder);
      },
    ],
  ])('a path that cannot be read counts as a visible token: %s', async (_, make) => {
    const folder = emptyFolder();
    make(folder);

    expect(await findVisibleToken([folder])).toMatch(folder);
  });
});

describe('files that do not count as a token', () => {
  test('files of a token volume other than the token do not count as a token', async () => {
    const folder = projected({ 'ca.crt': 'eyJ', 'service-ca.crt': 'eyJ', namespace: 'demo' });
    writeFileSync(join(folder, 'notes.txt'), 'no token');
    symlinkSync('gone', join(folder, 'dangling'));

    expect(await findVisibleToken([folder])).toBeUndefined();
  });

  test('a missing folder, or a file in its place, does not count as a token', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'file'), JWT);

    expect(await findVisibleToken([join(folder, 'no'), join(folder, 'file')])).toBeUndefined();
  });
});

test('[security 2] a manager from createManager refuses to run with a visible token, before it opens anything', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'token'), JWT);
  const options = { controllers: [], environment: {}, tokenFolders: [folder] };
  const settings = { apiUrl: 'http://127.0.0.1:1', healthPort: 1, metricsPort: 0 };

  const manager = await createManager({ ...options, settings });

  // The port could not be had: that it is not what fails says that it was not tried.
  await expect(manager.run()).rejects.toMatchObject({
    name: 'UnsafeSetupError',
    code: 'TOKEN_VISIBLE',
    layer: 'configuration',
    context: { path: join(folder, 'token') },
  });
});
