/**
 * Dockerfile.gate, built: what is in the image, and what it does as a container.
 *
 * @module-tag buildah
 * @module-tag nginx
 * @module-tag unshare
 * @module-tag setpriv
 */
import { basename } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { BUILD_TIMEOUT_MS, buildImage } from './support/build-image.ts';
import { filesBelow } from './support/files-below.ts';
import { runInRoot } from './support/in-root.ts';

test(
  "[security 34] the gate's image has only nginx, its libraries and a configuration, all read-only",
  async () => {
    const image = await buildImage('Dockerfile.gate');

    const files = await filesBelow(image.rootfs);
    const others = files.filter(({ path }) => !/^lib.*[.]so/.test(basename(path)));
    expect(others.map(({ path }) => path.replace(/^\/lib.*\/ld-/, '/ld-')).sort()).toEqual([
      '/etc/gate/gate.conf',
      expect.stringMatching(/^\/ld-/),
      '/usr/sbin/nginx',
      '/usr/share/gate/handshake.conf',
    ]);
    expect(files.filter(({ mode, uid }) => uid !== 0 || (mode & 0o222) !== 0)).toEqual([]);
    process.stdout.write(
      `Dockerfile.gate: ${(image.size / 1e6).toFixed(1)} MB in ${files.length} files\n`,
    );
    expect(image.size).toBeLessThan(20e6);
  },
  BUILD_TIMEOUT_MS,
);

test(
  "the gate's image sets user and entry point, and needs no argument",
  async () => {
    const { config } = await buildImage('Dockerfile.gate');

    expect(config.User).toBe('65530:65530');
    expect(config.Entrypoint).toEqual([
      '/usr/sbin/nginx',
      '-e',
      'stderr',
      '-c',
      '/etc/gate/gate.conf',
    ]);
    expect(config.Cmd).toEqual([]);
  },
  BUILD_TIMEOUT_MS,
);

test(
  'nginx accepts its configuration without a certificate, and writes only to /run/gate',
  async () => {
    const image = await buildImage('Dockerfile.gate');

    const ended = await runInRoot(image, { args: ['-T'], mounts: { '/run/gate': 'tmpfs' } });
    const readOnly = await runInRoot(image, { args: ['-T'] });

    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('is successful') });
    expect(ended.stdout).toContain('the gate passes POST only');
    expect(readOnly.stderr).toContain('"/run/gate/gate.pid" failed (30: Read-only file system)');
  },
  BUILD_TIMEOUT_MS,
);
