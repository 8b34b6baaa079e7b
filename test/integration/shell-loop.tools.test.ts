/**
 * A controller as people wrote them in shell around `curl -N …?watch=true`, with `chancery watch` in
 * curl's place and nothing else changed: `read -r`, `echo | jq`, and curl for what it does. Behind a
 * real `kubectl proxy`.
 *
 * @module-tag kubectl
 * @module-tag jq
 * @module-tag curl
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { NAMESPACE, startCluster } from '../support/cluster.ts';
import { folderWithTools } from '../tools/links.ts';

const MAIN = fileURLToPath(new URL('../../operator/cli/main.ts', import.meta.url));

const SCRIPT = `
pods_of=\${BASE}/api/v1/namespaces/\${WATCH_NAMESPACE}/pods

restart() {
  local pods=$(curl -s "\${pods_of}?labelSelector=$1" | jq -r '.items[].metadata.name')
  for pod in $pods; do
    code=$(curl -s -X DELETE -o /dev/null -w '%{http_code}' "\${pods_of}/$pod")
    echo "deleted $pod: $code"
  done
}

main() {
  "$NODE" "$MAIN" watch cm -n "$WATCH_NAMESPACE" --server "$BASE" | while read -r event
  do
    local type=$(echo "$event" | jq -r .type)
    local name=$(echo "$event" | jq -r .object.metadata.name)
    local selector=$(echo "$event" | jq -r '.object.metadata.annotations // {} | .["k8spatterns.io/podDeleteSelector"] // "" | @uri')
    echo "$type $name $selector"
    if [ "$type" = "MODIFIED" ] && [ -n "$selector" ]; then
      restart "$selector"
    fi
  done
}

main
`;

test('the shell script survives restarts of proxy and server, and acts on changes that it missed', {
  timeout: 60_000,
}, async () => {
  const { server, proxy } = await startCluster();
  const annotations = { 'k8spatterns.io/podDeleteSelector': 'app=web,tier=front' };
  const pod = (name: string, labels: Record<string, string>): unknown =>
    server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, labels },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    } as Parameters<typeof server.create>[0]);
  pod('web', { app: 'web', tier: 'front' });
  pod('canary', { app: 'web', tier: 'canary' });
  const metadata = { name: 'settings', namespace: NAMESPACE, annotations };
  const data = { text: 'one\ntwo\\three\t"four"' };
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as Parameters<
    typeof server.create
  >[0]);
  const child = spawn('sh', ['-c', SCRIPT], {
    detached: true,
    env: {
      ...process.env,
      PATH: `${folderWithTools('jq', 'curl')}:${process.env.PATH}`,
      NODE: process.execPath,
      MAIN,
      BASE: proxy.url,
      WATCH_NAMESPACE: NAMESPACE,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => printed.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  const selector = encodeURIComponent('app=web,tier=front');
  await eventually(() => printed.includes(`ADDED settings ${selector}`));

  await proxy.kill();
  await server.stop();
  server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { text: 'changed\nmeanwhile' } });
  await server.listen();
  await proxy.start();
  await eventually(() => printed.some((line) => line.startsWith('deleted')), { timeoutMs: 20_000 });

  expect(printed).toEqual([
    `ADDED settings ${selector}`,
    `MODIFIED settings ${selector}`,
    'deleted web: 200',
  ]);
  expect(server.list('v1', 'Pod', NAMESPACE).map(({ metadata: { name } }) => name)).toEqual([
    'canary',
  ]);
});
