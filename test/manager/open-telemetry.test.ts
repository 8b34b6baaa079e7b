import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Attempt, AttemptEnd } from '../../operator/controller/run/middleware.ts';
import { OperatorError } from '../../operator/core/errors.ts';
import { VERSION } from '../../operator/core/version.ts';
import { tracedAttempts, tracedReviews } from '../../operator/manager/observe/open-telemetry.ts';
import { tracing } from '../../operator/manager/observe/tracing.ts';
import { objectKey } from '../../operator/model/object.ts';

/** What a backend would be sent. */
interface Recorded {
  readonly name: string;
  readonly tracer: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly exceptions: unknown[];
  status: SpanStatus;
  ended: number;
}

/** A provider that keeps spans, written against the interfaces of the API alone. */
class MemoryProvider {
  readonly spans: Recorded[] = [];

  getTracer(name: string, version?: string): Tracer {
    const startSpan = (spanName: string, options?: SpanOptions, parent?: Context): Span =>
      this.#span(`${name} ${version}`, spanName, options, parent);
    return { startSpan, startActiveSpan: () => expect.unreachable('not asked for') } as Tracer;
  }

  #span(tracer: string, name: string, options?: SpanOptions, within = context.active()): Span {
    const attributes: Attributes = { ...options?.attributes };
    const recorded: Recorded = {
      name,
      tracer,
      parent: trace.getSpanContext(within)?.spanId,
      attributes,
      exceptions: [],
      status: { code: SpanStatusCode.UNSET },
      ended: 0,
    };
    const spanId = String(this.spans.push(recorded)).padStart(16, '0');
    const spanContext: SpanContext = { traceId: '1'.padStart(32, '0'), spanId, traceFlags: 1 };
    const span: Span = {
      spanContext: () => spanContext,
      setAttribute: (key, value) => {
        attributes[key] = value;
        return span;
      },
      setAttributes: (more) => {
        Object.assign(attributes, more);
        return span;
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: (status) => {
        recorded.status = status;
        return span;
      },
      updateName: () => span,
      end: () => {
        recorded.ended++;
      },
      isRecording: () => recorded.ended === 0,
      recordException: (exception) => {
        recorded.exceptions.push(exception);
      },
    };
    return span;
  }
}

/** Contexts that follow `await`, as the one of the SDK. */
class FollowingContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    within: Context,
    fn: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(within, () => fn.call(self, ...args));
  }

  bind<T>(_within: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}

/** What a program that traces does once, at its start. */
function registered(): MemoryProvider {
  const provider = new MemoryProvider();
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new FollowingContexts());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return provider;
}

const attempt: Attempt = {
  controller: 'website',
  key: objectKey('shop', 'front'),
  reconcileId: '3f0c',
  attempt: 2,
  priority: -100,
};

const succeeded: AttemptEnd = { outcome: 'success', durationMs: 12 };

describe('tracedAttempts', () => {
  test('[X-3] a reconcile becomes a span with one of a few names, and its attributes identify the reconcile', async () => {
    const { spans } = registered();

    const end = await tracedAttempts()(attempt, async () => ({
      outcome: 'requeue_after',
      durationMs: 12,
      requeueAfterMs: 5_000,
    }));

    expect(end).toEqual({ outcome: 'requeue_after', durationMs: 12, requeueAfterMs: 5_000 });
    expect(spans).toEqual([
      {
        name: 'reconcile website',
        tracer: `chancery ${VERSION}`,
        parent: undefined,
        attributes: {
          'chancery.controller': 'website',
          'chancery.reconcile.key': 'shop/front',
          'chancery.reconcile.id': '3f0c',
          'chancery.reconcile.attempt': 2,
          'chancery.reconcile.priority': -100,
          'chancery.reconcile.outcome': 'requeue_after',
          'chancery.reconcile.requeue_after_ms': 5_000,
          'k8s.namespace.name': 'shop',
        },
        exceptions: [],
        status: { code: SpanStatusCode.UNSET },
        ended: 1,
      },
    ]);
  });

  test('the span of an object without a namespace has no namespace attribute', async () => {
    const { spans } = registered();

    await tracedAttempts()(
      { ...attempt, key: objectKey(undefined, 'node-1') },
      async () => succeeded,
    );

    expect(spans[0]?.attributes).toMatchObject({ 'chancery.reconcile.key': 'node-1' });
    expect(spans[0]?.attributes).not.toHaveProperty('k8s.namespace.name');
  });

  test('[X-3] spans that a reconciler opens, also after an await, are children of the span of its attempt', async () => {
    const { spans } = registered();
    const around = tracedAttempts();
    const reconcile = async (name: string): Promise<AttemptEnd> => {
      await Promise.resolve();
      trace.getTracer('user').startSpan(name).end();
      return succeeded;
    };

    await Promise.all([
      around(attempt, () => reconcile('of the first')),
      around({ ...attempt, controller: 'other' }, () => reconcile('of the second')),
    ]);
    trace.getTracer('user').startSpan('outside').end();

    const parents = Object.fromEntries(spans.map(({ name, parent }) => [name, parent]));
    const ids = Object.fromEntries(
      spans.map(({ name }, at) => [name, String(at + 1).padStart(16, '0')]),
    );
    expect(parents['of the first']).toBe(ids['reconcile website']);
    expect(parents['of the second']).toBe(ids['reconcile other']);
    expect(parents.outside).toBeUndefined();
  });

  test.each([
    ['error', new Error('boom'), 'Error'],
    ['panic', new TypeError('x is undefined'), 'TypeError'],
    [
      'terminal',
      new OperatorError('never', { code: 'USER_CODE', layer: 'user-code' }),
      'USER_CODE',
    ],
  ] as const)('[X-3] the span of an attempt with the outcome %s records its exception', async (outcome, error, type) => {
    const { spans } = registered();

    await tracedAttempts()(attempt, async () => ({ outcome, durationMs: 1, error }));

    expect(spans[0]).toMatchObject({
      exceptions: [error],
      status: { code: SpanStatusCode.ERROR, message: error.message },
      ended: 1,
    });
    expect(spans[0]?.attributes).toMatchObject({
      'error.type': type,
      'chancery.reconcile.outcome': outcome,
    });
  });

  test.each([
    { outcome: 'conflict', durationMs: 1, error: new Error('409') },
    { outcome: 'aborted', durationMs: 1 },
  ] as const)('the span of an attempt with the outcome $outcome records no error', async (end) => {
    const { spans } = registered();

    await tracedAttempts()(attempt, async () => end);

    expect(spans[0]).toMatchObject({ exceptions: [], status: { code: SpanStatusCode.UNSET } });
    expect(spans[0]?.attributes).toMatchObject({ 'chancery.reconcile.outcome': end.outcome });
  });

  test('an error that a reconciler throws ends the span, and is passed on', async () => {
    const { spans } = registered();
    const bug = new Error('a bug of the toolkit');

    const traced = tracedAttempts()(attempt, () => Promise.reject(bug));

    await expect(traced).rejects.toBe(bug);
    expect(spans[0]).toMatchObject({ exceptions: [bug], ended: 1 });
  });

  test('[X-3] without a tracer provider nothing is recorded, and a reconcile runs as usual', async () => {
    const end = await tracedAttempts()(attempt, async () => succeeded);

    expect(end).toBe(succeeded);
  });

  test('a tracer provider that is registered later is used from then on', async () => {
    const around = tracedAttempts();
    await around(attempt, async () => succeeded);
    const { spans } = registered();

    await around(attempt, async () => succeeded);

    expect(spans.map(({ name }) => name)).toEqual(['reconcile website']);
  });
});

describe('the span of a review', () => {
  const facts = {
    webhook: 'colours.shop.example.com',
    uid: 'c0ffee',
    operation: 'CREATE',
    resource: 'configmaps',
    namespace: 'web',
    name: 'shop',
    dryRun: true,
  };

  test('[X-3] the span of a review contains the webhook and the outcome, and no content of the object', async () => {
    const { spans } = registered();

    await tracedReviews()(facts, async () => ({ outcome: 'denied', text: '{}' }));

    expect(spans).toMatchObject([
      {
        name: 'review colours.shop.example.com',
        attributes: {
          'chancery.webhook.operation': 'CREATE',
          'chancery.webhook.outcome': 'denied',
          'chancery.webhook.dry_run': true,
          'k8s.namespace.name': 'web',
        },
        status: { code: SpanStatusCode.UNSET },
        ended: 1,
      },
    ]);
  });

  test('[X-3] the span of a review has an error status when its function fails', async () => {
    const { spans } = registered();
    const error = new Error('no luck');

    await tracedReviews()(facts, async () => ({ outcome: 'failed', text: '{}', error }));

    expect(spans).toMatchObject([{ status: { code: SpanStatusCode.ERROR }, ended: 1 }]);
  });
});

describe('tracing', () => {
  test('[X-3] when a provider is registered, tracing is available and records spans', async () => {
    const { spans } = registered();

    const traced = await tracing();
    await traced?.reconcileMiddleware(attempt, async () => succeeded);

    expect(spans.map(({ name }) => name)).toEqual(['reconcile website']);
  });

  test('[X-3] tracing is undefined without a provider', async () => {
    expect(await tracing()).toBeUndefined();
  });
});
