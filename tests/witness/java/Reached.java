// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.File;
import java.io.IOException;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ICoverageNode;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/**
 * Prints what JaCoCo's agent recorded of the classes in a folder: "file line", missed and
 * covered instructions, missed and covered branches; and of all of a file, "file COUNTER",
 * missed and covered.
 */
public class Reached {
	public static void main(String[] args) throws IOException {
		ExecFileLoader loader = new ExecFileLoader();
		loader.load(new File(args[0]));
		CoverageBuilder builder = new CoverageBuilder();
		new Analyzer(loader.getExecutionDataStore(), builder).analyzeAll(new File(args[1]));
		for (ISourceFileCoverage source : builder.getSourceFiles()) {
			for (int i = source.getFirstLine(); i <= source.getLastLine(); i++)
				print(source.getName(), i, source.getLine(i));
			for (ICoverageNode.CounterEntity of : ICoverageNode.CounterEntity.values())
				print(source.getName(), of, source.getCounter(of));
		}
	}

	private static void print(String file, ICoverageNode.CounterEntity of, ICounter counter) {
		if (of != ICoverageNode.CounterEntity.COMPLEXITY && counter.getTotalCount() > 0)
			System.out.println(file + " " + of + " " + counter.getMissedCount() + " "
				+ counter.getCoveredCount());
	}

	private static void print(String file, int number, ILine line) {
		ICounter insns = line.getInstructionCounter(), branches = line.getBranchCounter();
		if (insns.getTotalCount() > 0)
			System.out.println(file + " " + number + " " + insns.getMissedCount() + " "
				+ insns.getCoveredCount() + " " + branches.getMissedCount() + " "
				+ branches.getCoveredCount());
	}
}
