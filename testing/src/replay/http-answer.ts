import type { ClusterAnswer, ReplayCluster } from 'chancery/internal';

/** Sends a request to the embedded server and reads the whole answer. */
export function httpAnswer(
  url: string,
  { method, path, headers, body }: Parameters<ReplayCluster['send']>[0],
): Promise<ClusterAnswer> {
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(entries) as Record<string, string>,
          body: text,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
