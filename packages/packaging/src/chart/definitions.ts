import type { CustomResourceDefinition } from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import { escaped, expressionOf, include } from './expressions.ts';
import type { TemplateBody } from './other-objects.ts';
import { NAME, NAMESPACE } from './placeholders.ts';

/**
 * The CustomResourceDefinitions as templates. Helm installs files in the folder `crds/` once and
 * never upgrades them, so that folder is not used. By default, the definitions stay when the
 * release is uninstalled, because all their objects would be deleted with them.
 */
export function definitionFiles(
  chart: string,
  definitions: readonly CustomResourceDefinition[],
): readonly TemplateBody[] {
  return definitions.map((definition) => ({
    path: `templates/crd/${definition.metadata.name}.yaml`,
    text: `{{- if $.Values.crd.enabled }}\n${definitionText(chart, definition)}{{- end }}\n`,
  }));
}

function definitionText(chart: string, definition: CustomResourceDefinition): string {
  const { apiVersion, kind, metadata, ...body } = definition;
  const {
    labels: _labels,
    annotations = {},
    ...named
  } = metadata as {
    readonly labels?: object;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  const annotationLines = Object.entries(annotations)
    .map(([name, value]) => `    ${escaped(formatYaml({ [name]: value }).trimEnd())}\n`)
    .join('');
  return [
    escaped(formatYaml({ apiVersion, kind })),
    'metadata:\n',
    escaped(formatYaml(named)).replace(/^(?=.)/gm, '  '),
    `  labels:\n    {{- ${include(chart, 'labels')} | nindent 4 }}\n`,
    annotationLines === '' ? '  {{- if $.Values.crd.keep }}\n' : '',
    '  annotations:\n',
    annotationLines,
    annotationLines === '' ? '' : '    {{- if $.Values.crd.keep }}\n',
    '    helm.sh/resource-policy: keep\n',
    annotationLines === '' ? '  {{- end }}\n' : '    {{- end }}\n',
    escaped(formatYaml(body)),
  ]
    .join('')
    .replace(
      OPEN_LINE,
      (_line, key: string, value: string) => `${key}{{ ${expressionOf(chart, value)} }}`,
    );
}

/**
 * Matches lines that contain the name or the namespace of the release. Such a line refers to the
 * gate that converts objects, or to the certificate of the gate.
 */
const OPEN_LINE = new RegExp(`^( *[^:\\n]+: )(.*(?:${NAME}|${NAMESPACE}).*)$`, 'gm');
