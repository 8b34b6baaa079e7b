const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const NAME_PART = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^((?:${DOMAIN}/)?${NAME_PART}(?:/${NAME_PART})*)(?::[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(@sha256:[a-f0-9]{64}|@sha512:[a-f0-9]{128})?$`,
);

/** Maximum length of the name without tag and digest. */
const MAX_NAME = 255;

/** True for an image name that container engines accept, such as `ghcr.io/team/operator:1.2.3`. */
export function isImageReference(text: string): boolean {
  const match = REFERENCE.exec(text);
  if (match === null || (match[1] ?? '').length > MAX_NAME) return false;
  // Container engines read a name of 64 hexadecimal digits as the id of an image.
  return !/^[a-f0-9]{64}$/.test(text);
}
