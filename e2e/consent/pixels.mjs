// Pictures of a request for approval, and the number of pixels in which two of them differ.

/** The tolerance for a channel of a pixel: smoothing of text varies that much. */
const CHANNEL = 24;

/** A picture of what the user sees in the box of an element; null if that is outside of the window. */
export async function pictureOf(page, element) {
  const box = await element.boundingBox({ timeout: 1000 }).catch(() => null);
  if (!box) return null;
  const { width, height } = page.viewportSize();
  const [x, y] = [Math.max(0, Math.floor(box.x)), Math.max(0, Math.floor(box.y))];
  const clip = { x, y, width: Math.min(width, Math.ceil(box.x + box.width)) - x, height: Math.min(height, Math.ceil(box.y + box.height)) - y };
  if (clip.width < 1 || clip.height < 1) return null;
  return page.screenshot({ clip, caret: "initial", animations: "allow" });
}

/**
 * The number of pixels in which two pictures differ; all of them if their sizes differ. They are decoded in `blank`, an
 * empty page.
 */
export async function difference(blank, one, other) {
  if (!one || !other) return one === other ? 0 : Infinity;
  return blank.evaluate(
    async ([pictures, channel]) => {
      const read = async (text) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(0, 0, image.width, image.height);
      };
      const [one, other] = await Promise.all(pictures.map(read));
      if (one.width !== other.width || one.height !== other.height) return one.width * one.height;
      let differ = 0;
      for (let at = 0; at < one.data.length; at += 4) {
        const off = [0, 1, 2].some((place) => Math.abs(one.data[at + place] - other.data[at + place]) > channel);
        if (off) differ++;
      }
      return differ;
    },
    [[one, other].map((picture) => picture.toString("base64")), CHANNEL],
  );
}
