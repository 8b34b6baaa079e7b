import {
  type Attributes,
  context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Attempt, AttemptEnd, ReconcileMiddleware } from '../../controller/run/middleware.ts';
import { OperatorError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { splitKey } from '../../model/object.ts';
import type { AroundReview, ReviewFacts } from '../../webhook/webhook-endpoint.ts';

/**
 * Opens a span around every reconcile, with the tracer that the process has registered with
 * `@opentelemetry/api`. Without a provider nothing is recorded. Spans that a reconciler opens become child
 * spans.
 *
 * The key of the object is an attribute, and never part of the span's name. The contents of the object
 * are not recorded, except where the message of an error quotes them.
 */
export function tracedAttempts(
  tracer: Tracer = trace.getTracer('chancery', VERSION),
): ReconcileMiddleware {
  return (attempt, next) => {
    const span = tracer.startSpan(`reconcile ${attempt.controller}`, {
      attributes: attributesOf(attempt),
    });
    return context.with(trace.setSpan(context.active(), span), () => recorded(span, next));
  };
}

/**
 * Opens a span around every review request of the API server, as `tracedAttempts` does around reconciles. A
 * denial is not recorded as a failure.
 */
export function tracedReviews(tracer: Tracer = trace.getTracer('chancery', VERSION)): AroundReview {
  return (facts, ask) => {
    const attributes = reviewAttributes(facts);
    const span = tracer.startSpan(`review ${facts.webhook}`, { attributes });
    return context.with(trace.setSpan(context.active(), span), async () => {
      try {
        const answered = await ask();
        span.setAttribute('chancery.webhook.outcome', answered.outcome);
        if (answered.error !== undefined) fail(span, answered.error);
        return answered;
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

function reviewAttributes(facts: ReviewFacts): Attributes {
  const { webhook, uid, operation, resource, namespace, dryRun } = facts;
  return {
    'chancery.webhook.name': webhook,
    'chancery.webhook.uid': uid,
    'chancery.webhook.operation': operation,
    'chancery.webhook.resource': resource,
    'chancery.webhook.dry_run': dryRun,
    ...(namespace !== undefined && { 'k8s.namespace.name': namespace }),
  };
}

async function recorded(span: Span, next: () => Promise<AttemptEnd>): Promise<AttemptEnd> {
  try {
    const end = await next();
    record(span, end);
    return end;
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function attributesOf({ controller, key, reconcileId, attempt, priority }: Attempt): Attributes {
  const { namespace } = splitKey(key);
  return {
    'chancery.controller': controller,
    'chancery.reconcile.key': key,
    'chancery.reconcile.id': reconcileId,
    'chancery.reconcile.attempt': attempt,
    'chancery.reconcile.priority': priority,
    ...(namespace !== undefined && { 'k8s.namespace.name': namespace }),
  };
}

function record(span: Span, { outcome, requeueAfterMs, error }: AttemptEnd): void {
  span.setAttribute('chancery.reconcile.outcome', outcome);
  if (requeueAfterMs !== undefined) {
    span.setAttribute('chancery.reconcile.requeue_after_ms', requeueAfterMs);
  }
  if (outcome === 'conflict') return; // another writer was faster, which is not a failure
  if (error !== undefined) fail(span, error);
}

function fail(span: Span, error: unknown): void {
  const thrown = error instanceof Error ? error : new Error(String(error));
  span.setAttribute('error.type', thrown instanceof OperatorError ? thrown.code : thrown.name);
  span.recordException(thrown);
  span.setStatus({ code: SpanStatusCode.ERROR, message: thrown.message });
}
