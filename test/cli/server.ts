import { ApiServer, type ApiServerOptions } from '@chancery/testing';
import { onTestFinished } from 'vitest';

/** An embedded API server with the namespace `demo`; it is closed when the test has finished. */
export async function startServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await ApiServer.start(options);
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  return server;
}
