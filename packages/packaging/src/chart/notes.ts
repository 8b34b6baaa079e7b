import type { OperatorModel } from 'chancery/internal';
import { include, literal } from './expressions.ts';
import { chartText } from './named-templates.ts';

/** The text that Helm prints after an installation. */
export function notesText(chart: string, { options }: OperatorModel, command: string): string {
  const scopeIs = (scope: string): string => `eq (${include(chart, 'scope')}) ${literal(scope)}`;
  const lines = [
    `{{ if ${scopeIs('listed')} }}`,
    `It watches these namespaces: {{ ${include(chart, 'watched')} | replace "," ", " }}`,
    `{{- else if ${scopeIs('namespaced')} }}`,
    'It watches this namespace.',
    '{{- else }}',
    'It watches all namespaces.',
    '{{- end }}',
  ];
  return chartText('NOTES.txt', {
    chart,
    command,
    scope: options.watched === undefined ? lines : [],
  });
}
