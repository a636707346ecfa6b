/** The loop of every peer: makes a PDF of each document it is sent, and says how large it came out. */

/** @param {(document: any) => Promise<Uint8Array>} print @param {() => Promise<unknown>} close */
export function answer(print, close) {
  process.on('message', async ({ id, document, close: over }) => {
    if (over) {
      await close();
      process.exit(0);
    }
    try {
      const pdf = await print(document);
      if (Buffer.from(pdf.subarray(0, 5)).toString() !== '%PDF-') throw new Error('no PDF came out');
      process.send({ id, bytes: pdf.length });
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) });
    }
  });
  process.send({ ready: true });
}
