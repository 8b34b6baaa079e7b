import {
  type RecordedExchange,
  recording,
  watchText,
} from '../../../test/support/recorded-stream.ts';
import { StandInAmbassador } from '../../src/ambassador/stand-in-ambassador.ts';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { RECORDED_PACES } from '../../src/apiserver/controllers/runner/pace.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import {
  comparable,
  comparableEvents,
  comparableHistories,
  withoutControllers,
} from './comparable.ts';
import { type Difference, differences } from './difference.ts';
import type { RecordingFolder } from './folder.ts';
import { type Answer, Replay } from './replay.ts';
import { CHAPTERS, type Chapter, prepare, SECOND_CHAPTERS } from './session.ts';

export interface ExchangeResult {
  readonly id: number;
  /** Method and path. */
  readonly request: string;
  /** Empty when the answer is equal. */
  readonly differences: readonly Difference[];
}

export interface ChapterResult {
  readonly recording: string;
  readonly exchanges: readonly ExchangeResult[];
}

/** What `kubectl proxy` refuses when nobody tells it otherwise: the recordings went through one. */
const PROXY_DEFAULTS = {
  acceptPaths: ['^.*'],
  rejectPaths: ['^/api/.*/pods/.*/exec', '^/api/.*/pods/.*/attach'],
  rejectMethods: ['^$'],
};

/** As the recorded cluster was set up; of its 30 writes in a burst, Events and reads took the rest. */
const RECORDED_CLUSTER = {
  workloads: {
    writeLimit: { perSecond: 20, burst: 17 },
    // The real controller waits 5 s for slow caches before it empties a namespace.
    paces: { namespace: { reactionMs: 5_000, writeMs: 3 } },
  },
  collectionDeleteMs: 2,
  authorization: 'RBAC',
  definitionDelays: true,
} as const;

/**
 * On a server of its own, beside what recorded: its controllers looked at a change no sooner than 20 ms after it. `apply-more`
 * 49 to 51 name an owner that does not exist and take it away 20 ms later, `patches-more` 69 to 71 scale twice in 14 ms.
 */
const SLOW_CONTROLLERS = {
  ...RECORDED_CLUSTER,
  workloads: {
    ...RECORDED_CLUSTER.workloads,
    paces: {
      ...RECORDED_CLUSTER.workloads.paces,
      garbageCollector: { ...RECORDED_PACES.garbageCollector, reactionMs: 25 },
      deployment: { ...RECORDED_PACES.deployment, reactionMs: 20 },
    },
  },
} as const;

/**
 * Replays the first set of recordings on one server, through a proxy, and compares every answer.
 *
 * @param told - hears the result of each recording when it is there.
 */
export function conformance(
  told: (result: ChapterResult) => void = () => {},
): Promise<readonly ChapterResult[]> {
  return replayed(CHAPTERS, told);
}

/** The same for the second set, with a server for each recording. */
export async function secondConformance(
  told: (result: ChapterResult) => void = () => {},
): Promise<readonly ChapterResult[]> {
  return folderConformance({ session: [], alone: SECOND_CHAPTERS }, told);
}

/** The same for a folder of recordings. */
export async function folderConformance(
  { session, alone }: RecordingFolder,
  told: (result: ChapterResult) => void = () => {},
): Promise<readonly ChapterResult[]> {
  const servers = [session, ...alone.map((chapter) => [chapter])];
  const results: ChapterResult[] = [];
  for (const chapters of servers) {
    if (chapters.length > 0) results.push(...(await replayed(chapters, told)));
  }
  return results;
}

async function replayed(
  chapters: readonly Chapter[],
  told: (result: ChapterResult) => void,
): Promise<readonly ChapterResult[]> {
  const clock = new FakeClock(Date.parse(chapters[0]?.startedAt ?? '') - 1_000);
  const isAlone = chapters[0]?.withoutControllers === true;
  const server = await ApiServer.start({
    clock,
    ...(isAlone ? SLOW_CONTROLLERS : RECORDED_CLUSTER),
  });
  const proxies: StandInAmbassador[] = [];
  try {
    const world = { server, clock };
    await prepare(world, chapters[0]?.namespaces);
    const replay = new Replay(world);
    const results: ChapterResult[] = [];
    for (const chapter of chapters) {
      const { exchanges = recording(chapter.recording) } = chapter;
      const proxy = new StandInAmbassador({
        server: chapter.user === undefined ? server.url : await server.urlFor(chapter.user),
        filter: PROXY_DEFAULTS,
      });
      proxies.push(proxy);
      await proxy.start();
      const answers = await replay.chapter(chapter, exchanges, proxy.url);
      const compared = exchanges
        .map((exchange, index) => compare(chapter, exchange, answers[index]))
        .filter(({ id }) => chapter.incomparable?.includes(id) !== true);
      const result = { recording: chapter.recording, exchanges: compared };
      told(result);
      results.push(result);
    }
    return results;
  } finally {
    for (const proxy of proxies) await proxy.kill();
    await server.close();
  }
}

function compare(
  chapter: Chapter,
  exchange: RecordedExchange,
  answer: Answer | undefined,
): ExchangeResult {
  const { id, request, response } = exchange;
  const body = response.chunks === undefined ? (response.body ?? '') : watchText(exchange);
  const shown = (text: string): unknown => {
    if (response.omitted !== undefined) return 'OMITTED';
    if (response.chunks === undefined) {
      const whole = comparable(text);
      return chapter.withoutControllers === true ? withoutControllers(whole) : whole;
    }
    return chapter.races?.includes(id) ? comparableHistories(text) : comparableEvents(text);
  };
  const recorded = {
    status: response.status,
    contentType: response.headers['content-type'] ?? '',
    retryAfter: response.headers['retry-after'] ?? null,
    body: shown(body),
    cut: response.end?.how === 'reset',
  };
  const own = answer && { ...answer, body: shown(answer.body) };
  return {
    id,
    request: `${request.method} ${request.path}`,
    differences: differences(recorded, own),
  };
}
