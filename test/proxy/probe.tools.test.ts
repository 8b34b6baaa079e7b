/**
 * The probes of the manifests, as the kubelet runs them in the ambassador's container.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { containerNamed, podSpec, render } from '../manifests/support/rendered.ts';
import { answerOf, openRawServer, rawServer } from '../transport/raw-server.ts';
import { environment } from './support/image.ts';
import { proxyOf, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS, type Kubectl } from './support/kubectls.ts';
import { shared } from './support/shared.ts';

interface Probe {
  readonly exec: { readonly command: readonly string[] };
  readonly timeoutSeconds: number;
}

const container = containerNamed(podSpec(await render('manifests/base')), 'proxy');
const probes = {
  startup: container.startupProbe as Probe,
  liveness: container.livenessProbe as Probe,
};

interface Outcome {
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly stderr: string;
}

/** Runs the probe's command with one kubectl, and ends it when the kubelet would. */
async function runProbe({ path }: Kubectl, probe: Probe, url: string): Promise<Outcome> {
  const [, ...words] = probe.exec.command.map((word) => word.replace('http://127.0.0.1:8001', url));
  const limits = { env: { ...environment() }, timeout: probe.timeoutSeconds * 1_000 };
  return new Promise((resolve) => {
    const child = execFile(path, words, limits, (_error, _stdout, stderr) => {
      resolve({ exitCode: child.exitCode, signalCode: child.signalCode, stderr });
    });
  });
}

const upstream = shared(async () => {
  const server = await openRawServer(() => answerOf(200));
  return { ...server, stop: () => server.close() };
});

test.each([
  'startup',
  'liveness',
] as const)('proxy 27: the %s probe runs kubectl itself, which requests the version through the proxy', (kind) => {
  const [program, ...words] = probes[kind].exec.command;

  expect(program).toBe('/kubectl');
  expect(words).toContain('--server=http://127.0.0.1:8001');
  expect(words).toContain('--raw=/version');
});

test('proxy 27: the probe of a hanging proxy ends in time, and fails', async () => {
  const proxies = await Promise.all(
    KUBECTLS.map((kubectl) => untilTestEnds(proxyOf(kubectl, [`--server=${upstream().url}`]))),
  );
  for (const proxy of proxies) proxy.process.kill('SIGSTOP');

  const outcomes = await Promise.all(
    KUBECTLS.map((kubectl, at) => runProbe(kubectl, probes.liveness, proxies[at]?.url ?? '')),
  );

  const ends = outcomes.map(({ exitCode, signalCode }) => ({ exitCode, signalCode }));
  expect(ends).toEqual(KUBECTLS.map(() => ({ exitCode: 1, signalCode: null })));
  expect(upstream().requests).toEqual([]);
});

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  test('proxy 27: a probe sends one request, and succeeds if the API server answers', async () => {
    const proxy = await untilTestEnds(
      proxyOf(kubectl, [`--server=${upstream().url}`, '--accept-paths=^/version$']),
    );

    const outcome = await runProbe(kubectl, probes.startup, proxy.url);

    expect(outcome).toEqual({ exitCode: 0, signalCode: null, stderr: '' });
    expect(upstream().requests.map(({ head }) => head.split('\r\n')[0])).toEqual([
      'GET /version?timeout=3s HTTP/1.1',
    ]);
  });

  test('proxy 27: a probe fails with a reason if something between it and the API server is missing', async () => {
    const refusing = await untilTestEnds(
      proxyOf(kubectl, [`--server=${upstream().url}`, '--accept-paths=^/healthz$']),
    );
    const gone = await rawServer(() => undefined);
    await gone.close();
    const cutOff = await untilTestEnds(proxyOf(kubectl, [`--server=${gone.url}`]));

    const [filtered, refused, nobody] = await Promise.all([
      runProbe(kubectl, probes.startup, refusing.url),
      runProbe(kubectl, probes.startup, cutOff.url),
      runProbe(kubectl, probes.startup, gone.url),
    ]);

    expect([filtered, refused, nobody]).toMatchObject([
      { exitCode: 1, stderr: expect.stringMatching(/[Ff]orbidden/) },
      { exitCode: 1, stderr: expect.stringMatching(/dial tcp .* connect: connection refused/) },
      { exitCode: 1, stderr: expect.stringMatching(/connection .*refused/) },
    ]);
    expect(upstream().requests).toEqual([]);
  });
});
