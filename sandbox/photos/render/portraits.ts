export async function drawPortraits(_folder: string): Promise<void> {}
