/** What the operator asks of the API server about Secrets, of which there are many. */
import { deployment, eventually, secret } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allowedBytes, CountingLine, metadataListBytes } from './support/counting-line.ts';
import { startReloader } from './support/start.ts';

const SECRETS = 300;
const REFERENCED = 12;
const WORKLOADS = 36;
const CONTENT = Buffer.alloc(10 * 1024, 'content').toString('base64');
const IMAGE = 'registry.k8s.io/pause:3.10';

test('[reloader 19] [reloader R11] of many Secrets, only the referenced Secrets are read, each of them once', async () => {
  const lines: CountingLine[] = [];
  const place = await startReloader({
    args: ['--auto-reload-all', '--debounce=0s'],
    stopped: true,
    between: async (url) => {
      const line = new CountingLine(url);
      lines.push(line);
      await line.start();
      onTestFinished(() => line.close());
      return line.url;
    },
  });
  const { env, namespace } = place;
  for (let at = 0; at < SECRETS; at++) {
    env.server.create(secret(`secret-${at}`, { namespace, data: { content: CONTENT } }));
  }
  for (let at = 0; at < WORKLOADS; at++) {
    const envFrom = [{ secretRef: { name: `secret-${at % REFERENCED}` } }];
    const podSpec = { containers: [{ name: 'main', image: IMAGE, envFrom }] };
    env.server.create(deployment(`web-${at}`, { namespace, podSpec }));
  }

  await place.startOperator().untilReady();
  await place.idle();

  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const asked = () => lines.flatMap((line) => line.secrets());
  const reads = () =>
    asked()
      .flatMap(({ path }) => (path === secrets ? [] : [path]))
      .sort();
  const names = Array.from({ length: REFERENCED }, (_, at) => `secret-${at}`);
  expect(reads()).toEqual(names.map((name) => `${secrets}/${name}`).sort());
  // An unreferenced one, and one whose content stays.
  await env.patch('v1', 'Secret', namespace, 'secret-299', { data: { content: 'bmV3' } });
  await env.patch('v1', 'Secret', namespace, 'secret-7', { metadata: { labels: { a: 'b' } } });
  await eventually(() => reads().length > REFERENCED);
  await place.idle();

  expect(reads()).toEqual([...names, 'secret-7'].map((name) => `${secrets}/${name}`).sort());
  const listBytes = await metadataListBytes(`${env.url}${secrets}`);
  const bytes = asked().reduce((sum, each) => sum + each.bytes, 0);
  expect(bytes).toBeGreaterThan(REFERENCED * CONTENT.length);
  expect(bytes).toBeLessThanOrEqual(
    allowedBytes({ payloadBytes: REFERENCED * CONTENT.length, listBytes }),
  );
});
