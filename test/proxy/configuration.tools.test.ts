/**
 * What every `kubectl proxy` here does with a configuration that is missing, or that somebody slipped in.
 *
 * @module-tag kubectl
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryPoint } from './support/image.ts';
import { BARE, proxyOf, serving, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS, type Kubectl } from './support/kubectls.ts';
import { inNetworkOf, inOwnNetwork } from './support/own-network.ts';
import { run } from './support/run-kubectl.ts';
import { REFUSED, send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const upstream = shared(openUpstream);

/** Turns the filter off, in the words of the first version that reads the file and of later ones. */
function kuberc({ minor }: Kubectl): string {
  const [version, defaults, options] =
    minor < 34 ? ['v1alpha1', 'overrides', 'flags'] : ['v1beta1', 'defaults', 'options'];
  return `apiVersion: kubectl.config.k8s.io/${version}
kind: Preference
${defaults}:
  - command: proxy
    ${options}:
      - name: disable-filter
        default: "true"
`;
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  test('proxy 26: canary: without any configuration kubectl proxy starts, and sends requests to localhost:8080', async () => {
    const [command, ...words] = inOwnNetwork(kubectl.path, 'proxy', '--port=0', '-v=6');
    const proxy = await untilTestEnds(serving(command, words));
    const probe = [`--server=${proxy.url}`, 'get', '--raw=/version', '--request-timeout=3s'];

    const pid = proxy.process.pid ?? 0;
    const { exitCode, stdout, stderr } = await run(inNetworkOf(pid, kubectl.path, ...probe));

    expect(proxy.log()).toContain('http://localhost:8080/version');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/dial tcp .*:8080: connect: connection refused/);
  });

  describe('with a kuberc that turns the filter off', () => {
    const home = shared(async () => {
      const path = mkdtempSync(join(tmpdir(), 'chancery-'));
      mkdirSync(join(path, '.kube'));
      writeFileSync(join(path, '.kube', 'kuberc'), kuberc(kubectl));
      return { path, stop: async () => rmSync(path, { recursive: true }) };
    });
    const answerTo = async (
      env: Readonly<Record<string, string>>,
      ...flags: readonly string[]
    ): Promise<unknown> => {
      const { KUBERC: _, ...bare } = BARE;
      const surroundings = { ...bare, HOME: home().path, KUBECTL_KUBERC: 'true', ...env };
      const args = [...flags, `--server=${upstream().url}`, '--port=0'];
      const proxy = await untilTestEnds(proxyOf(kubectl, args, surroundings));
      return send(proxy.url, 'GET', '/metrics');
    };

    test(`proxy 40: canary: ${kubectl.minor < 33 ? 'a kuberc that turns the filter off is not read yet' : 'a kuberc that turns the filter off opens every path'}`, async () => {
      const answer = await answerTo({}, '--accept-paths=^/version$');

      expect(answer).toEqual(
        kubectl.minor < 33 ? REFUSED : expect.objectContaining({ status: 200 }),
      );
    });

    test('[security 23] proxy 40: KUBERC=off disables the kuberc, and flags on the command line override it', async () => {
      const [, , ...imageFlags] = entryPoint();

      expect(await answerTo({ KUBERC: 'off' }, '--accept-paths=^/version$')).toEqual(REFUSED);
      expect(await answerTo({}, ...imageFlags, '--accept-paths=^/version$')).toEqual(REFUSED);
      expect(upstream().seen).toEqual([]);
    });
  });
});
