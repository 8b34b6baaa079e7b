import { messageOf, type Source, source } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { parseYaml } from 'chancery/low-level';
import { KIND_LABEL, WATCHER_KIND } from '../own-objects.ts';
import { refuseUnknownFields, specFields } from '../spec.ts';
import { Refused, readWatcher, type Watcher } from '../watcher.ts';
import { demandOf, namesIn } from './custom-resource.ts';

/** The front end's name in the state. */
export const DOCUMENT_FRONT_END = 'configmap';

/** ConfigMaps that stand in for a `ConfigWatcher` where nobody may install its definition. */
export const documentSource: Source<ConfigMap> = source(configMaps, {
  labelSelector: `${KIND_LABEL}=${WATCHER_KIND}`,
});

/** The watcher in `data.spec` of `document`, as YAML or JSON. */
export function documentWatcher(document: ConfigMap): Watcher {
  const spec = read(document.data?.spec);
  const names = spec instanceof Refused ? [] : namesIn(spec);
  const declared = {
    frontEnd: DOCUMENT_FRONT_END,
    declaredBy: document,
    configMap: names.length === 1 ? names[0] : undefined,
  };
  return readWatcher(declared, () => {
    if (spec instanceof Refused) throw spec;
    refuseUnknownFields(specFields(spec));
    return demandOf(spec, names);
  });
}

function read(text: string | undefined): unknown {
  if (text === undefined) return new Refused('InvalidSpec', 'data.spec is missing');
  try {
    return parseYaml(text);
  } catch (error) {
    return new Refused('InvalidSpec', messageOf(error));
  }
}
