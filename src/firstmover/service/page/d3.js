// d3, from this server, loaded once when it is first needed.

/** @type {Promise<any> | null} */
let loading = null;

/** A script of this server. */
export function script(source) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = source;
    element.onload = resolve;
    element.onerror = () => reject(new Error("The plotting library did not load; the tables show the same."));
    document.head.append(element);
  });
}

export function d3library() {
  loading ??= script("vendor/d3.min.js")
    .then(() => /** @type {any} */ (window).d3)
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}
