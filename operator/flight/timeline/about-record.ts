import { durationWords } from '../../core/text/duration-words.ts';
import type { HeaderLine, RecordReason } from '../record-line.ts';
import type { AboutPart, Fact } from './timeline-data.ts';

/** For each reason why a record is written, the phrase in the title of the page. */
export const REASONS: Readonly<Record<RecordReason, string>> = {
  asked: 'a record that was asked for',
  'write-loop': 'a write loop',
  stuck: 'a reconcile that does not end',
  crash: 'a crash',
  exit: 'an exit with code 3',
};

/** The contents of the header of a record, divided into chapters. */
export function aboutRecord(header: HeaderLine): readonly AboutPart[] {
  const { controllers, sources, settings, modules } = header;
  const parts: readonly AboutPart[] = [
    { title: 'Record', facts: recordFacts(header) },
    {
      title: 'Controllers',
      facts: controllers.map(({ name, sources: ids, workers }) => [
        name,
        `${workers} workers, ${ids.join(', ')}`,
      ]),
    },
    {
      title: 'Sources',
      facts: sources.map((source) => {
        const { id, apiVersion, kind, namespaces, labelSelector, fieldSelector, form } = source;
        const scope = [namespaces && `in ${namespaces.join(', ')}`, labelSelector, fieldSelector];
        const shown = form === 'full' ? undefined : form;
        return [id, [`${apiVersion} ${kind}`, ...scope, shown].filter(Boolean).join(', ')];
      }),
    },
    { title: 'Settings', facts: Object.entries(settings) },
    { title: 'Modules (SHA-256)', facts: modules.map(({ path, sha256 }) => [path, sha256]) },
  ];
  return parts.filter(({ facts }) => facts.length > 0);
}

function recordFacts(header: HeaderLine): readonly Fact[] {
  const { began, from, to, why, toolkit, node, pid, limits } = header;
  const facts: Fact[] = [];
  if (why !== undefined) facts.push(['Why', why]);
  facts.push(
    ['Recorder began', began],
    ['Span', durationWords(Math.max(0, to - from))],
    ['Limits', `${limits.minutes} min, ${limits.megabytes} MB`],
    ['Toolkit', `chancery ${toolkit}`],
    ['Node', node],
  );
  if (pid !== undefined) facts.push(['Process', `${pid}`]);
  if (header.arguments.length > 0) facts.push(['Arguments', header.arguments.join(' ')]);
  return facts;
}
