/** `chancery run` as Prometheus and a person with `kill` see it: a process of its own. */
import { join } from 'node:path';
import { eventually, freePort } from '@chancery/testing';
import { expect, test } from 'vitest';
import { parsedExposition } from '../support/parsed-exposition.ts';
import { chancery, folderWith, start } from './child.ts';
import { configMap } from './printed.ts';
import { startServer } from './server.ts';

const OPERATOR = `
  import { controller, source } from 'chancery';
  import { configMaps } from 'chancery/kubernetes';
  export default controller({
    name: 'hello',
    for: source(configMaps, { namespace: 'all' }),
    reconcile: async (object, { log }) => {
      log.debug({}, 'seen');
    },
  });`;

test('[X-1] `chancery run` serves /metrics on its port, with the prefix that is set', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const port = `${await freePort()}`;
  const child = chancery(['run', join(folderWith({ 'operator.ts': OPERATOR }), 'operator.ts')], {
    CHANCERY_API_URL: server.url,
    CHANCERY_METRICS_PORT: port,
    CHANCERY_METRICS_HOST: '127.0.0.1',
    CHANCERY_METRICS_PREFIX: 'acme_',
    CHANCERY_METRICS_DETAILED: 'true',
  });

  const families = await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    const found = parsedExposition((await answer?.text()) ?? '\n');
    const total = found.get('controller_runtime_reconcile_total')?.samples ?? [];
    return total.some(({ labels, value }) => labels.result === 'success' && value > 0) && found;
  });
  child.kill('SIGTERM');

  expect(families.get('acme_cached_objects')?.samples[0]?.value).toBeGreaterThan(0);
  expect(families.get('rest_client_response_size_bytes')?.samples.length).toBeGreaterThan(0);
  expect(families.get('process_cpu_seconds_total')?.type).toBe('counter');
  expect(families.get('acme_event_loop_delay_seconds')?.type).toBe('histogram');
  expect(await child.exit).toBe(0);
});

test('SIGUSR2 sets the log level of `chancery run` to debug, and a second SIGUSR2 resets it', async () => {
  const server = await startServer();
  const child = chancery(['run', join(folderWith({ 'operator.ts': OPERATOR }), 'operator.ts')], {
    CHANCERY_API_URL: server.url,
  });
  const messages = (): string[] =>
    child.stderr.lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  await child.stderr.until(() => messages().includes('controller started'));

  child.kill('SIGUSR2');
  await child.stderr.until(() => messages().includes('log level changed by SIGUSR2'));
  server.create(configMap('a'));
  await child.stderr.until(() => messages().includes('seen'));
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
});

test('without metrics and traces, their packages are not loaded', async () => {
  const index = new URL('../../operator/low-level.ts', import.meta.url).href;
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({
      load(url, context, next) {
        loaded.push(url);
        return next(url, context);
      },
    });
    const { createManager } = await import(${JSON.stringify(index)});
    await createManager({ controllers: [], environment: { CHANCERY_METRICS_PORT: '0' } });
    const packages = ['prom-client', '@opentelemetry', 'typebox', '/manager/'];
    console.log(packages.map((name) => loaded.some((url) => url.includes(name))).join());`;
  const child = start(process.execPath, [join(folderWith({ 'p.mjs': program }), 'p.mjs')]);

  expect(await child.exit).toBe(0);
  expect(child.stdout.lines).toEqual(['false,false,false,true']);
});

test('[X-3] `chancery run` sends traces to the provider that an earlier module registered', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const api = import.meta.resolve('@opentelemetry/api');
  const provider = `
    import { trace } from ${JSON.stringify(api)};
    const tracerOf = (name) => ({
      startSpan(span, { attributes }) {
        console.log(name, span, attributes['chancery.reconcile.key']);
        return trace.wrapSpanContext({ traceId: '0', spanId: '0', traceFlags: 0 });
      },
    });
    trace.setGlobalTracerProvider({ getTracer: tracerOf });`;
  const folder = folderWith({ 'operator.ts': OPERATOR, 'provider.mjs': provider });
  const child = chancery(['run', join(folder, 'operator.ts')], {
    CHANCERY_API_URL: server.url,
    NODE_OPTIONS: `--import ${join(folder, 'provider.mjs')}`,
  });

  await child.stdout.until(() => child.stdout.lines.length > 0);
  child.kill('SIGTERM');

  expect(child.stdout.lines[0]).toBe('chancery reconcile hello demo/a');
  expect(await child.exit).toBe(0);
});
