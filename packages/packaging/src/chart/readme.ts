import type { OperatorModel } from 'chancery/internal';
import type { PackageMetadata } from '../metadata.ts';
import { descriptionOf, displayNameOf } from './chart-yaml.ts';
import { chartText } from './named-templates.ts';
import type { Setting } from './setting.ts';

/** The text of `README.md`: how to install the chart, and a list of its values. */
export function readmeText(
  model: OperatorModel,
  metadata: PackageMetadata,
  settings: readonly Setting[],
  command: string,
): string {
  return chartText('README.md', {
    command,
    chart: model.options.name,
    namespace: model.options.namespace,
    title: `# ${displayNameOf(model, metadata)}`,
    description: (metadata.details ?? descriptionOf(model, metadata)).trimEnd(),
    definitions: definitionLines(model),
    values: settings.map(row),
  });
}

function definitionLines({ definitions }: OperatorModel): readonly string[] {
  if (definitions.length === 0) return [];
  return [
    '',
    '## CustomResourceDefinitions',
    '',
    'The chart installs and upgrades these, and keeps them when it is uninstalled:',
    '',
    ...definitions.map(({ metadata }) => `* \`${metadata.name}\``),
    '',
    'Set `crd.enabled=false` when something else installs them, also for a second release in the same cluster. A release',
    'with another name or namespace takes over definitions that were kept with `helm install --take-ownership`.',
  ];
}

function row({ path, standard, comment }: Setting): string {
  return `| \`${path}\` | \`${JSON.stringify(standard)}\` | ${comment.replaceAll('|', '\\|')} |`;
}
