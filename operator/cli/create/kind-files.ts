import { textFiles } from '../../core/text/text-files.ts';
import { MAX_DNS_LABEL } from '../../model/dns-name.ts';
import type { NewFile } from '../files/new-files.ts';
import { fillTemplate, type TemplateValues } from '../files/template.ts';
import type { KindNames } from './names.ts';
import type { OwnedResource } from './owned-resources.ts';
import { specFields } from './spec-fields.ts';

/** The values that fill the templates of a new kind. */
export interface NewKind {
  readonly names: KindNames;
  readonly isNamespaced: boolean;
  readonly owns: readonly OwnedResource[];
  /**
   * `controller`: a controller with a reconciler. `composite`: a composite controller, which owns
   * at least one resource.
   */
  readonly form: 'controller' | 'composite';
  /** The folder of the controller and its test, relative to the project, with `/` as the separator. */
  readonly folder: string;
  /** The common prefix of the file names. */
  readonly file: string;
  /** The prefix of the sample's file name. Default: the value of `file`. */
  readonly sample?: string;
}

const templates = textFiles(new URL('./templates/', import.meta.url));

/** The controller of a new kind, its test and a sample object. */
export function kindFiles(kind: NewKind): readonly NewFile[] {
  const { folder, file, sample = file, form, owns } = kind;
  const values = valuesOf(kind);
  const controller = owns.length === 0 ? 'status-only' : form;
  const texts = [
    [`${folder}/${file}.ts`, `${controller}.template`],
    [
      `${folder}/${file}.test.ts`,
      form === 'composite' ? 'composite-test.template' : 'test.template',
    ],
    [`samples/${sample}.yaml`, 'sample.template'],
  ] as const;
  return texts.map(([path, template]) => ({
    path,
    text: fillTemplate(templates(template), values),
  }));
}

/** A name that is valid as a label value and as a DNS label. */
function sampleName(dashed: string): string {
  const end = '-sample';
  return `${dashed.slice(0, MAX_DNS_LABEL - end.length).replace(/-+$/, '')}${end}`;
}

function valuesOf(newKind: NewKind): TemplateValues {
  const { names, isNamespaced, owns, form, folder, file, sample = file } = newKind;
  const { group, version, kind, plural, hasOwnPlural, dashed, resource, controller } = names;
  const fields = specFields(owns.flatMap((each) => each.fields));
  const constants = owns.map(({ constant }) => constant);
  const apply = form === 'composite' ? 'child' : 'await applyOwned';
  const children = owns.map(({ name }) =>
    fillTemplate(templates(`children/${name}.template`), { apply }),
  );
  return {
    ...{ group, version, kind, dashed, resource, controller, file },
    sampleName: sampleName(dashed),
    plural: hasOwnPlural ? `plural: '${plural}',` : '',
    scope: isNamespaced ? '' : "scope: 'Cluster',",
    namespace: isNamespaced ? 'namespace' : 'undefined',
    makeNamespace: isNamespaced ? 'const namespace = await env.namespace();' : '',
    wrongMetadata: isNamespaced ? "name: 'wrong', namespace" : "name: 'wrong'",
    spec: fields.map(({ name, type }) => `${name}: ${type},`).join('\n'),
    sample: fields.map(({ name, sample }) => `${name}: ${sample}`).join('\n'),
    field: fields[0].name,
    wrong: fields[0].wrong,
    changed: fields[0].changed,
    constants: constants.join(', '),
    sortedConstants: constants.toSorted().join(', '),
    observed: constants.map((constant) => `...children.of(${constant})`).join(', '),
    children: children.join(''),
    samples: `${'../'.repeat(folder.split('/').length)}samples/${sample}.yaml`,
  };
}
