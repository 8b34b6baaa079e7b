import { describe, expect, test } from 'vitest';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import { ApiError, type Status } from '../../operator/model/status.ts';
import {
  type Action,
  classify,
  type History,
  NO_HISTORY,
  type Outcome,
  remember,
} from '../../operator/watch/policy/classify.ts';

const api = (status: Omit<Status, 'kind'>, retryAfterMs?: number): ApiError =>
  new ApiError(status, { retryAfterMs });
const lost = new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
const refused = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});
const late = new AmbassadorError('late', { code: 'AMBASSADOR_TIMEOUT', fate: 'unknown' });
const upstream = new AmbassadorError('dial', { code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' });
const filtered = new AmbassadorError('no', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' });
const garbage = new ProtocolError('garbage', { code: 'DECODE' });
const login = new ProtocolError('html', { code: 'NOT_KUBERNETES' });

const open = (error: unknown): Outcome => ({ during: 'open', error });
const stream = (error: unknown): Outcome => ({ during: 'stream', error });
const list = (error: unknown): Outcome => ({ during: 'list', error });
const end = (lines: number, livedMs: number): Outcome => ({ during: 'stream', lines, livedMs });

const gone = api({ code: 410, reason: 'Expired' });
const tooLarge = api({
  code: 504,
  reason: 'Timeout',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
});

type Row = readonly [
  what: string,
  outcome: Outcome,
  history: Partial<History>,
  step: Action['step'],
  wait: Action['wait'],
  reason: Action['reason'],
];

const ROWS: readonly Row[] = [
  ['1 410 as HTTP status', open(gone), {}, 'relist-fresher', 'none', 'expired'],
  [
    '1 reason Gone alone',
    open(api({ code: 0, reason: 'Gone' })),
    {},
    'relist-fresher',
    'none',
    'expired',
  ],
  ['1 410 again and again', open(gone), { expired: 1 }, 'relist-fresher', 'backoff', 'expired'],
  ['2 410 in the stream', stream(gone), {}, 'relist-fresher', 'none', 'expired'],
  [
    '2 the fresher list is refused too',
    list(gone),
    { expired: 1 },
    'relist-latest',
    'none',
    'expired',
  ],
  [
    '2 and the latest list as well',
    list(gone),
    { expired: 2 },
    'relist-latest',
    'backoff',
    'expired',
  ],
  ['3 clean end after events', end(1, 10), {}, 'resume', 'none', 'ended'],
  ['3 clean end after a quiet while', end(0, 1_000), {}, 'resume', 'none', 'ended'],
  ['4 ended at once', end(0, 999), {}, 'resume', 'backoff', 'ended-at-once'],
  [
    '4 ended at once twice',
    end(0, 0),
    { emptyShortWatches: 1 },
    'relist-latest',
    'backoff',
    'ended-at-once',
  ],
  ['5 cut', stream(lost), {}, 'resume', 'backoff', 'broken'],
  ['6 stalled', { during: 'stream', stalled: true }, {}, 'resume', 'none', 'stalled'],
  ['7 refused', open(refused), {}, 'resume', 'backoff', 'unreachable'],
  ['7 no answer in time', list(late), {}, 'resume', 'backoff', 'unreachable'],
  [
    '8 500 text/plain of the proxy',
    list(upstream),
    {},
    'resume',
    'backoff',
    'upstream-unreachable',
  ],
  ['9 429', open(api({ code: 429 })), {}, 'resume', 'backoff', 'overloaded'],
  ['9 429 in the stream', stream(api({ code: 429 })), {}, 'resume', 'backoff', 'overloaded'],
  ['10 503', open(api({ code: 503 })), {}, 'resume', 'backoff', 'overloaded'],
  ['11 too large', list(tooLarge), {}, 'resume', 'backoff', 'ahead-of-server'],
  [
    '11 too large, third time',
    list(tooLarge),
    { tooLarge: 2 },
    'resume',
    'backoff',
    'ahead-of-server',
  ],
  [
    '11 too large for good',
    list(tooLarge),
    { tooLarge: 3 },
    'relist-latest',
    'backoff',
    'ahead-of-server',
  ],
  ['12 500', stream(api({ code: 500 })), {}, 'resume', 'backoff', 'server-error'],
  [
    '12 500 six times',
    stream(api({ code: 500 })),
    { serverErrors: 5 },
    'relist-fresher',
    'backoff',
    'server-error',
  ],
  [
    '12 500 over a foreign resourceVersion',
    open(api({ code: 500, message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint' })),
    {},
    'relist-latest',
    'backoff',
    'server-error',
  ],
  [
    '13 401',
    list(api({ code: 401, reason: 'Unauthorized' })),
    {},
    'resume',
    'backoff',
    'unauthorized',
  ],
  [
    '14 403 of RBAC',
    list(api({ code: 403, reason: 'Forbidden' })),
    {},
    'resume',
    'forbidden',
    'forbidden',
  ],
  ['15 403 of the filter', list(filtered), {}, 'resume', 'forbidden', 'filtered'],
  [
    '16 404',
    list(api({ code: 404, reason: 'NotFound' })),
    {},
    'relist-latest',
    'unserved',
    'unserved',
  ],
  ['17 405', open(api({ code: 405 })), {}, 'relist-latest', 'poll', 'unwatchable'],
  ['18 400', open(api({ code: 400 })), {}, 'relist-latest', 'longest', 'rejected'],
  ['18 422', list(api({ code: 422 })), {}, 'relist-latest', 'longest', 'rejected'],
  [
    '19 an ERROR without a code',
    stream(api({ message: 'boom' })),
    {},
    'relist-fresher',
    'backoff',
    'server-error',
  ],
  ['19 an undecodable line', stream(garbage), {}, 'relist-latest', 'none', 'undecodable'],
  ['19 twice', stream(garbage), { undecodable: 1 }, 'relist-latest', 'backoff', 'undecodable'],
  ['19 for ever', stream(garbage), { undecodable: 7 }, 'relist-latest', 'longest', 'undecodable'],
  ['19 an undecodable list', list(garbage), {}, 'resume', 'backoff', 'undecodable'],
  [
    '19 an undecodable list, twice',
    list(garbage),
    { undecodable: 1 },
    'relist-latest',
    'backoff',
    'undecodable',
  ],
  ['1 410 of the very first list', list(gone), {}, 'relist-latest', 'backoff', 'expired'],
  ['20 a redirect or login page', list(login), {}, 'resume', 'backoff', 'not-kubernetes'],
  ['a bug of ours', stream(new TypeError('bug')), {}, 'relist-latest', 'backoff', 'unexpected'],
];

describe('classify', () => {
  test.each(
    ROWS,
  )('[W-20] [W-21] classify() returns the right step for row %s', (_what, outcome, history, step, wait, reason) => {
    const action = classify(outcome, { ...NO_HISTORY, ...history });

    expect(action).toMatchObject({ step, wait, reason });
  });

  test('classify() passes on the wait that the server requested', () => {
    const action = classify(open(api({ code: 429 }, 3_000)), NO_HISTORY);

    expect(action.atLeastMs).toBe(3_000);
  });
});

describe('remember', () => {
  test('remember() counts consecutive failures of one kind, and keeps the counts of the other kinds', () => {
    const action = classify(open(gone), NO_HISTORY);

    const history = remember({ ...NO_HISTORY, tooLarge: 2 }, action, false);

    expect(history).toEqual({ ...NO_HISTORY, tooLarge: 2, expired: 1 });
  });

  test('after a watch that worked, remember() resets the counts of other failures, and keeps the count of the current failure', () => {
    const action = classify(stream(garbage), NO_HISTORY);

    const history = remember({ ...NO_HISTORY, tooLarge: 2, undecodable: 2 }, action, true);

    expect(history).toEqual({ ...NO_HISTORY, undecodable: 3 });
  });

  test('remember() resets every count after a watch that worked and ended normally', () => {
    const action = classify(end(3, 10), NO_HISTORY);

    const history = remember({ ...NO_HISTORY, expired: 4, serverErrors: 2 }, action, true);

    expect(history).toEqual(NO_HISTORY);
  });
});
