/** An operator with one webhook and nothing else, and its function alone. */
import { deny, validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

/** Denies a name that ends with `-old`. */
export function hasGoodName(name: string): ReturnType<typeof deny> | undefined {
  return name.endsWith('-old') ? deny('-old is for what is kept by hand') : undefined;
}

const names = validatingWebhook({
  name: 'names.configmaps.example.com',
  resource: configMaps,
  validate: ({ object }) => hasGoodName(object.metadata.name),
});

export default names;
