/** With programs that stand in for etcd and kube-apiserver: flags, readiness, signals, timeouts. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ControlPlane, type ControlPlaneOptions } from '../../src/control-plane/control-plane.ts';
import { processesWith, standInAssets } from './assets.ts';

function optionsFor(assets: string): ControlPlaneOptions {
  return {
    etcd: join(assets, 'etcd'),
    kubeApiserver: join(assets, 'kube-apiserver'),
    startTimeoutMs: 15_000,
    stopTimeoutMs: 5_000,
    attachOutput: false,
    environment: { PATH: process.env.PATH },
  };
}

/** A folder of its own for temporary files. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tmp-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test('a control plane runs etcd and kube-apiserver until it stops, and leaves nothing behind', async () => {
  const assets = standInAssets();

  const plane = await ControlPlane.start(optionsFor(assets));
  onTestFinished(() => plane.stop());
  const directory = dirname(plane.kubeconfig);
  const running = processesWith(assets).length;
  const modes = ['kubeconfig', 'tokens.csv', 'service-account.key'].map(
    (file) => statSync(join(directory, file)).mode & 0o777,
  );
  await plane.stop();
  await plane.stop();

  expect(running).toBe(2);
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect(processesWith(assets)).toEqual([]);
  expect(existsSync(directory)).toBe(false);
});

test('if etcd exits, startup fails with the message of etcd, and nothing is left behind', async () => {
  const assets = standInAssets({
    etcd: 'console.error("bind: address already in use"); process.exitCode = 1;',
  });
  const temporary = temporaryFolder();

  const started = ControlPlane.start(optionsFor(assets));

  await expect(started).rejects.toMatchObject({
    code: 'CONFIG',
    message: 'etcd ended with code 1; it said: bind: address already in use',
    context: { path: join(assets, 'etcd') },
  });
  expect(readdirSync(temporary)).toEqual([]);
});

test('a kube-apiserver that does not become ready is stopped together with etcd', async () => {
  const assets = standInAssets({ 'kube-apiserver': 'setInterval(() => {}, 1000);' });

  const started = ControlPlane.start({ ...optionsFor(assets), startTimeoutMs: 4_000 });

  await expect(started).rejects.toThrow(
    'kube-apiserver is not ready after 4000 ms; KUBEBUILDER_CONTROLPLANE_START_TIMEOUT gives kube-apiserver longer',
  );
  expect(processesWith(assets)).toEqual([]);
});

test('a program that ignores SIGTERM is killed after stopTimeoutMs', async () => {
  const etcd = new URL('stand-ins/etcd.ts', import.meta.url).href;
  const assets = standInAssets({
    etcd: `import(${JSON.stringify(etcd)}).then(() => {
      process.removeAllListeners('SIGTERM').on('SIGTERM', () => {});
    });`,
  });
  const plane = await ControlPlane.start({ ...optionsFor(assets), stopTimeoutMs: 200 });
  onTestFinished(() => plane.stop());

  await plane.stop();

  expect(processesWith(assets)).toEqual([]);
});

test('the error contains the path of a file that cannot be executed', async () => {
  const assets = standInAssets();

  const started = ControlPlane.start({ ...optionsFor(assets), etcd: '/dev/null' });

  await expect(started).rejects.toMatchObject({
    message: expect.stringMatching(/^etcd cannot be run: spawn \/dev\/null EACCES/),
  });
});

test('the kubeconfig trusts only the certificate that the server has signed', async () => {
  const plane = await ControlPlane.start(optionsFor(standInAssets()));
  onTestFinished(() => plane.stop());

  const kubeconfig = readFileSync(plane.kubeconfig, 'utf8');

  expect(kubeconfig).toMatch(/certificate-authority: \S+apiserver\.crt/);
  expect(kubeconfig).toMatch(/server: https:\/\/127\.0\.0\.1:\d+/);
  expect(kubeconfig).not.toContain('insecure');
});
