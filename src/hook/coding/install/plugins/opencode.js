// Written by `recourse init opencode`, which also changes and removes it.
import { spawnSync } from "node:child_process"

const PROGRAM = @PROGRAM@

export const Recourse = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const call = JSON.stringify({ tool: input.tool, args: output.args, cwd: directory, sessionID: input.sessionID })
    const done = spawnSync(PROGRAM, ["hook", "opencode"], { input: call, encoding: "utf8", timeout: 5000 })
    if (done.error || done.status !== 0) {
      const reason = (done.stderr || "").trim()
      throw new Error(reason || "recourse could not judge this call, so it does not run")
    }
  },
})
