/** The API server of `children.ts`, with the parent of the children. It sends its URL. */
import process from 'node:process';
import { startTestEnv } from '@chancery/testing';

const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
await env.create({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'tree', namespace: 'default' },
});
process.send?.(env.url);
process.on('disconnect', () => process.exit());
