/** The probes of the manifests, against a proxy that hangs: no kubelet should have to end them. */
import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { KubectlProxy } from '../../operator/testing/kubectl-proxy.ts';
import { containerNamed, podSpec, render } from '../manifests/support/rendered.ts';
import { realKubectl } from './support/ambassador.ts';
import { environment } from './support/image.ts';
import { startUpstream } from './support/upstream.ts';

const proxy = containerNamed(podSpec(await render('manifests/base')), 'proxy');

interface Probe {
  readonly exec: { readonly command: readonly string[] };
  readonly timeoutSeconds: number;
}

test('proxy 27: a probe of a proxy that hangs ends by itself, in time, and fails', async () => {
  const { exec, timeoutSeconds } = proxy.livenessProbe as Probe;
  const upstream = await startUpstream();
  const ambassador = new KubectlProxy({ kubectl: realKubectl(), server: upstream.url });
  onTestFinished(() => ambassador.kill());
  await ambassador.start();
  ambassador.freeze();

  const [, ...words] = exec.command.map((word) =>
    word.replace('http://127.0.0.1:8001', ambassador.url),
  );
  const limits = { env: { ...environment() }, timeout: timeoutSeconds * 1_000 };
  const { exitCode, signalCode } = await new Promise<ReturnType<typeof execFile>>((resolve) => {
    const child = execFile(realKubectl(), words, limits, () => resolve(child));
  });

  expect({ exitCode, signalCode }).toEqual({ exitCode: 1, signalCode: null });
});
