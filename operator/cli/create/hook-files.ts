import { textFiles } from '../../core/text/text-files.ts';
import { formatYaml } from '../../core/yaml.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { NewFile } from '../files/new-files.ts';
import { fillTemplate } from '../files/template.ts';

/** File name extensions by language. */
const LANGUAGES = { bash: 'sh', node: 'mjs', python: 'py' } as const;

export type Language = keyof typeof LANGUAGES;

/** A hook that will be written. */
export interface NewHook {
  /** Lower-case words joined by `-`. */
  readonly name: string;
  readonly language: Language;
  /** The resource that the hook watches. */
  readonly resource: Resource;
  /** The folder of hooks, with `/` as the separator. */
  readonly folder: string;
}

const templates = textFiles(new URL('./hook-templates/', import.meta.url));

/** The file mode of a hook: executable for all users, like files in a ConfigMap volume. */
const EXECUTABLE = 0o755;

/** The hook, its rights, and a sample of its context for `chancery test-hook`. */
export function hookFiles({ name, language, resource, folder }: NewHook): readonly NewFile[] {
  const { group, plural, kind } = resource;
  const script = `${folder}/${name}.${LANGUAGES[language]}`;
  const label = `hooks.example.com/${name}`;
  const apiVersion = apiVersionOf(resource);
  const values = { kind, apiVersion, label, binding: plural };
  const rule = { apiGroups: [group], resources: [plural], verbs: ['patch'] };
  return [
    {
      path: script,
      text: fillTemplate(templates(`${language}.template`), values),
      mode: EXECUTABLE,
    },
    { path: `${script}.rights.yaml`, text: formatYaml({ rules: [rule] }) },
    { path: `contexts/${name}.json`, text: contextsOf(resource, label) },
  ];
}

function contextsOf({ plural, kind, namespaced, ...names }: Resource, label: string): string {
  const labels = { [label]: 'yes' };
  const object = {
    apiVersion: apiVersionOf(names),
    kind,
    metadata: { name: 'sample', ...(namespaced && { namespace: 'default' }), labels },
  };
  const event = { binding: plural, type: 'Event', watchEvent: 'Added' };
  return `${JSON.stringify([{ ...event, object, filterResult: labels }], undefined, 2)}\n`;
}
