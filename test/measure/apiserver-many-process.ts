/** The embedded API server with many ConfigMaps, in a process of its own. Started by `apiserver-many.ts`. */
import { ApiServer } from '../../testing/src/apiserver/api-server.ts';

const count = Number(process.argv[2]);
const server = await ApiServer.start();
for (let i = 0; i < count; i++) {
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `many-${i}`,
      namespace: 'default',
      ...(i % 10 === 0 ? { labels: { tenth: 'yes' } } : {}),
    },
    data: { key: 'value' },
  } as Parameters<typeof server.create>[0]);
}
process.send?.({ url: server.url });
