import { isOwnAmbassador, type OperatorModel, reasonForTwo } from 'chancery/internal';
import { literal } from './expressions.ts';
import { imageParts } from './image-reference.ts';
import { LONGEST_ARGUMENT, RESOURCE_NAMES, TAKEN_NAMES } from './limits.ts';
import { NAME, type OpenModel, WATCHED } from './placeholders.ts';
import type { Kind, Setting } from './setting.ts';
import { NAME_OF_LABEL } from './values-schema.ts';

/**
 * The lines of a named template. When a release is rendered, the template fails if a value is not
 * allowed.
 */
export function checkLines(
  chart: string,
  settings: readonly Setting[],
  model: OperatorModel,
  open: OpenModel,
): readonly string[] {
  const taken = listOf(TAKEN_NAMES.map(literal));
  return [
    `{{- include ${literal(`${chart}.checkRelease`)} (dict "context" $) -}}`,
    ...settings.map(({ path, kind }) => {
      const { name, more } = checkOf(kind);
      const words = ['dict', '"path"', literal(path), '"value"', `$.Values.${path}`, ...more];
      return `{{- include ${literal(`${chart}.${name}`)} (${words.join(' ')}) -}}`;
    }),
    `{{- include ${literal(`${chart}.checkFullname`)} (dict "context" $ "taken" ${taken}) -}}`,
    ...['manager', 'proxy', ...(model.webhooks === undefined ? [] : ['gate'])].map(
      (container) =>
        `{{- include ${literal(`${chart}.checkImage`)} (dict "container" ${literal(container)} ` +
        `"image" $.Values.${container}.image) -}}`,
    ),
    ...[...refusals(chart, model), ...lengthRefusals(chart, open)].flatMap(
      ({ condition, message }) => [
        `{{- if ${condition} -}}`,
        `{{- fail ${literal(message)} -}}`,
        '{{- end -}}',
      ],
    ),
  ];
}

/**
 * The named template that checks values of this kind, and the additional arguments of the template.
 */
function checkOf(kind: Kind): { readonly name: string; readonly more: readonly string[] } {
  switch (kind.is) {
    case 'boolean':
      return { name: 'checkBoolean', more: [] };
    case 'integer':
      return {
        name: 'checkInteger',
        more: ['"minimum"', `${kind.minimum}`, '"maximum"', `${kind.maximum}`],
      };
    case 'choice':
      return {
        name: 'checkChoice',
        more: ['"of"', listOf(kind.of.map((each) => JSON.stringify(each)))],
      };
    case 'text':
      return { name: 'checkText', more: textWords(kind) };
    case 'texts':
      return { name: 'checkTexts', more: textWords(kind) };
    case 'map': {
      const refused = [
        '"refused"',
        listOf(kind.refused.map(literal)),
        '"names"',
        literal(NAME_OF_LABEL),
      ];
      return { name: 'checkMap', more: [...textWords(kind), ...refused] };
    }
    case 'object':
      return { name: 'checkObject', more: [] };
    case 'resources':
      return { name: 'checkResources', more: ['"names"', listOf(RESOURCE_NAMES.map(literal))] };
    case 'objects':
      return { name: 'checkObjects', more: [] };
    case 'security':
      return { name: 'checkSecurity', more: securityWords(kind.fields) };
    case 'variables':
      return { name: 'checkVariables', more: ['"refused"', listOf(kind.refused.map(literal))] };
    case 'overrides':
      return { name: 'checkOverrides', more: ['"refused"', listOf(kind.refused.map(literal))] };
    case 'names':
      return { name: 'checkNames', more: [] };
  }
}

function textWords({
  pattern,
  maxLength,
  wanted,
}: {
  readonly pattern: string;
  readonly maxLength: number;
  readonly wanted: string;
}): readonly string[] {
  return [
    '"pattern"',
    literal(pattern),
    '"maxLength"',
    `${maxLength}`,
    '"wanted"',
    literal(wanted),
  ];
}

/**
 * Each field with the JSON text of its only allowed value. Go sorts the fields of an object, which
 * makes no difference here, because each of these objects has only one field.
 */
function securityWords(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const words = Object.entries(fields).flatMap(([name, value]) => [
    literal(name),
    literal(JSON.stringify(value)),
  ]);
  return ['"fields"', `(dict ${words.join(' ')})`];
}

function listOf(words: readonly string[]): string {
  return `(list ${words.join(' ')})`.replace(' )', ')');
}

interface Refusal {
  readonly condition: string;
  readonly message: string;
}

/** Combinations of values that are not allowed. */
function refusals(chart: string, model: OperatorModel): readonly Refusal[] {
  const isOwn = isOwnAmbassador(
    imageParts(
      model.deployment.spec.template.spec.containers.find(({ name }) => name === 'proxy')?.image ??
        '',
    ).repository,
  );
  const isOwnNow = 'regexMatch "(^|/)chancery-proxy$" $.Values.proxy.image.repository';
  return [
    {
      condition: isOwn ? `not (${isOwnNow})` : isOwnNow,
      message:
        'proxy.image.repository must keep the last part of its name: another kind of image needs other arguments, ' +
        'so generate the chart for it',
    },
    {
      condition: 'and $.Values.networkPolicy.enabled (not $.Values.networkPolicy.apiServer)',
      message: 'networkPolicy.apiServer must say where the API server is, or nothing would get out',
    },
    ...scopeRefusals(chart, model),
    ...webhookRefusals(chart, model),
  ];
}

function webhookRefusals(chart: string, model: OperatorModel): readonly Refusal[] {
  if (model.webhooks === undefined) return [];
  const reason = reasonForTwo(model.webhooks.options);
  return [
    {
      condition: `regexMatch "^[0-9]" (include ${literal(`${chart}.fullname`)} $)`,
      message:
        'a Service has this name, and the name of a Service begins with a letter: set fullnameOverride',
    },
    ...(reason === undefined
      ? []
      : [
          {
            condition: 'not $.Values.highAvailability',
            message: `${reason}, so that requests are refused while no replica answers: leave highAvailability true`,
          },
        ]),
  ];
}

/**
 * Refuses a release in a namespace for which the operator's code declares rights. The Role for
 * these rights is in that namespace, and has the same name as a Role of the release.
 */
function scopeRefusals(chart: string, { options, scopes }: OperatorModel): readonly Refusal[] {
  if (options.watched !== undefined) return [];
  const fixed = scopes.namespaced.rights.flatMap(({ kind, metadata }) =>
    kind === 'Role' && metadata.namespace !== options.namespace ? [metadata.namespace ?? ''] : [],
  );
  if (fixed.length === 0) return [];
  return [
    {
      condition: `and (eq (include ${literal(`${chart}.scope`)} $) "namespaced") (has $.Release.Namespace ${listOf(fixed.map(literal))})`,
      message:
        'the operator has rights in this namespace anyway: install it into another one, or name this one in ' +
        'watch.namespaces',
    },
  ];
}

/**
 * Refuses too many watched namespaces. The filter is one argument of the ambassador. It contains
 * each namespace once per resource, and the length of an argument is limited.
 */
function lengthRefusals(chart: string, { listed }: OpenModel): readonly Refusal[] {
  return (listed?.proxyArguments ?? []).flatMap((argument) => {
    const [first = '', ...others] = argument.split(WATCHED);
    if (others.length === 0) return [];
    // Names of releases have at most 52 characters.
    const rest = [first, ...others].join('').replaceAll(NAME, 'x'.repeat(52)).length;
    const length = `add ${rest} (mul ${others.length} (len (include ${literal(`${chart}.watchedPattern`)} $)))`;
    return [
      {
        condition: `and (eq (include ${literal(`${chart}.scope`)} $) "listed") (ge (${length} | int) ${LONGEST_ARGUMENT})`,
        message:
          'watch.namespaces has too many names: the filter of the ambassador would be longer than Linux lets an ' +
          'argument be',
      },
    ];
  });
}
