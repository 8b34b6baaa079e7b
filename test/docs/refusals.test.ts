/** Each row of the decision table in `docs/reference/errors.md`, held to what the toolkit does with such an answer. */

import { configMap } from '@chancery/testing';
import * as chancery from 'chancery';
import {
  ApiError,
  type Controller,
  type ReconcileContext,
  refusalOf,
  retryRefused,
} from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { retryOptionsFor } from '../../operator/controller/errors.ts';
import { failureOf } from '../../operator/controller/run/failure.ts';
import { exampleOf, guide, rowsOf } from './guide.ts';
import { FORMS } from './refusal-forms.ts';

const page = guide('reference/errors.md');
const [, section = ''] = page.split('## When the API server refuses a write');
const rows = rowsOf(section).filter(([answer = '']) => answer.startsWith('`'));

type Predicate = (error: unknown) => boolean;

/** Those that say why a write was refused: exactly those that the row names hold. */
const REFUSALS = ['isInvalid', 'isAdmissionDenied', 'isForbidden', 'isNotFound', 'isUnserved'];

const begins = (cell: string, form: string): boolean => `${cell} |`.startsWith(form);
const formsOf = (cell: string) => Object.keys(FORMS).filter((form) => begins(cell, form));

test('[real R-1] [real R-3] [K-49] there are cases for exactly the rows of the table of refusals', () => {
  const found = rows.map(([, form = '']) => formsOf(form));

  expect(found.filter(({ length }) => length !== 1)).toEqual([]);
  expect(found.flat().toSorted()).toEqual(Object.keys(FORMS).toSorted());
});

describe.each(
  rows.map(([answer = '', form = '', told = '', , toolkit = '', reconciler = '']) => ({
    answer,
    form,
    told,
    toolkit,
    reconciler,
    errors: formsOf(form)
      .flatMap((each) => FORMS[each] ?? [])
      .map((status) => new ApiError(status)),
  })),
)('$answer, $form', ({ answer, told, toolkit, reconciler, errors }) => {
  test("[real R-3] [K-49] the row contains the status and the reason of the API server's response", () => {
    const said = new Set(errors.map(({ status, reason }) => `\`${`${status} ${reason}`.trim()}\``));

    expect([...said].toSorted()).toEqual(answer.split(', ').toSorted());
  });

  test('[real R-1] [real R-3] [K-49] only the helpers in the row return true for the error of the row', () => {
    const named = [...told.matchAll(/`(is\w+)`/g)].map(([, name = '']) => name);
    const [, kind] = /kind `([\w-]+)`/.exec(told) ?? [];

    for (const error of errors) {
      const holds = (name: string) =>
        (chancery as unknown as Record<string, Predicate>)[name]?.(error);
      expect(named.filter((name) => holds(name) !== true)).toEqual([]);
      expect(REFUSALS.filter((name) => holds(name))).toEqual(
        REFUSALS.filter((name) => named.includes(name)),
      );
      expect(refusalOf(error)?.kind).toBe(kind);
    }
  });

  test('[real R-1] [K-49] the toolkit retries a refused request as the table says', () => {
    for (const error of errors) {
      const failure = failureOf(error);
      const { everyMs, maxMs } = retryOptionsFor(failure.refusal);

      expect(everyMs === 3_600_000).toBe(toolkit.includes('every 60 minutes ± 10 %'));
      const isAtMost10Min = maxMs === 600_000 && failure.atLeastMs === 0;
      expect(isAtMost10Min).toBe(toolkit.includes('up to 10 minutes'));
      expect(failure.atLeastMs >= 60_000).toBe(toolkit.includes('after 60 s at least'));
      expect(failure.kind).toBe(toolkit.startsWith('quietly') ? 'conflict' : 'failed');
    }
  });

  test('[real R-1] [K-49] retryRefused returns a refusal that a reconciler should report, and throws other errors', () => {
    const isToTell = reconciler === 'the same' || reconciler.includes('`retryRefused(error)`');

    for (const error of errors) {
      if (isToTell) expect(retryRefused(error)).toEqual({ refusal: refusalOf(error) });
      else expect(() => retryRefused(error)).toThrow(error);
    }
  });
});

test('[real R-3] [K-49] a refusal has the name of the policy, webhook, quota or account that caused it', () => {
  const named = Object.values(FORMS)
    .flat()
    .map((status) => refusalOf(new ApiError(status)))
    .map((refusal) => refusal && 'name' in refusal && `${refusal.kind} ${refusal.name}`);

  expect(new Set(named.filter(Boolean))).toEqual(
    new Set([
      'policy team',
      'webhook w.example.dev',
      'webhook-failed w.example.dev',
      'quota rq',
      'pod-security restricted:latest',
      'service-account demo/nope',
    ]),
  );
});

test('[real R-1] [K-49] the code in operators.md records an Event for a refusal, and throws every other error', async () => {
  const { default: copies } = await exampleOf<{ readonly default: Controller<ConfigMap> }>(
    'guides/write/operators.md',
    'copies.ts',
  );
  const told: string[] = [];
  const reconcile = (error: ApiError) =>
    copies.reconcile(
      configMap('a') as ConfigMap,
      {
        applyOwned: async () => {
          throw error;
        },
        event: (_type: string, reason: string) => told.push(reason),
      } as unknown as ReconcileContext<ConfigMap>,
    );
  const answer = (form: string) => {
    const [status] = FORMS[form] ?? [];
    return new ApiError(status ?? {});
  };

  const denied = await reconcile(answer("`ValidatingAdmissionPolicy 'NAME'"));
  const full = await reconcile(answer('`exceeded quota'));
  const forbidden = answer('`User "NAME" cannot VERB');

  expect(denied).toEqual({ refusal: { kind: 'policy', name: 'team' } });
  expect(full).toEqual({ refusal: { kind: 'quota', name: 'rq' } });
  await expect(reconcile(forbidden)).rejects.toBe(forbidden);
  expect(told).toEqual(['Refused', 'Refused']);
});
