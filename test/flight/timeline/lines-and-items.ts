/** Lines of records, and what a test reads of a timeline. */
import type { RecordLine, StateLine } from '../../../operator/flight/record-line.ts';
import type {
  TimelineData,
  TimelineItem,
} from '../../../operator/flight/timeline/timeline-data.ts';
import { Texts } from './page-modules.ts';

export const STATE: StateLine = { kind: 'state', at: 0, segment: 0, random: 1, leads: true };
export const KEY = { controller: 'website', key: 'web/shop' } as const;

/** Row, kind and words of each item, with its time. */
export function shown({ items, rows }: TimelineData): readonly string[] {
  return items.map(({ row, kind, at, to, summary }) => {
    const time = to === undefined ? `${at}` : `${at}–${to}`;
    return `${rows[row]?.name} ${time} ${kind}: ${summary}`;
  });
}

export function textOf(data: TimelineData, text: number | undefined): string {
  const texts = new Texts(data);
  return texts
    .numbers(text)
    .map((line) => texts.line(line))
    .join('\n');
}

/** The text of an item's object at its `version` or at its `before`. */
export function stateOf(
  data: TimelineData,
  item: TimelineItem | undefined,
  at: 'version' | 'before',
): string {
  const index = item?.[at];
  const version =
    index === undefined ? undefined : data.objects[item?.object ?? -1]?.versions[index];
  return version === undefined ? 'none' : textOf(data, version.text);
}

export function itemOf(
  data: TimelineData,
  kind: TimelineItem['kind'],
  place = 0,
): TimelineItem | undefined {
  return data.items.filter((item) => item.kind === kind).at(place);
}

export function watchOf(
  plural: string,
  id: number,
  more: Partial<RecordLine> = {},
): readonly RecordLine[] {
  const group = plural === 'websites' ? 'example.dev/v1' : 'apps/v1';
  const path = `/apis/${group}/${plural}?watch=1&resourceVersion=1`;
  const request = { kind: 'request', at: 0, id, method: 'GET', path, purpose: 'watch' } as const;
  return [
    { ...request, ...more } as RecordLine,
    { kind: 'answer', at: 1, id, status: 200, headers: {} },
  ];
}

export function write(changes: Partial<Extract<RecordLine, { kind: 'request' }>> = {}): RecordLine {
  return {
    kind: 'request',
    at: 20,
    id: 70,
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/web/deployments/shop?fieldManager=website',
    purpose: 'call',
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify({ spec: { replicas: 3 } }),
    by: { ...KEY, id: 7 },
    ...changes,
  };
}

export function answer(status: number, body: unknown, at = 25, id = 70): readonly RecordLine[] {
  return [
    { kind: 'answer', at, id, status, headers: {} },
    { kind: 'chunk', at, id, text: JSON.stringify(body) },
    { kind: 'ended', at, id },
  ];
}
