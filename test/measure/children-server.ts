/** The API server of `children.ts`, with the parents of the children. It sends its URL. */
import process from 'node:process';
import { startTestEnv } from '@chancery/testing';

const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
for (const name of ['tree', 'grove']) {
  const metadata = { name, namespace: 'default', labels: { measured: name } };
  await env.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
}
process.send?.(env.url);
process.on('disconnect', () => process.exit());
