// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.IOException;
import java.nio.file.*;
import org.objectweb.asm.*;

/*
 * Puts a call of Stamped.at() before every bytecode of the classes of a folder:
 *
 *	java -cp asm.jar:. Stamp FROM TO
 *
 * Its arguments are the method and the offset of the bytecode in the class as it was. No
 * verifier takes the result: an offset that a frame names is the call's now.
 */
public class Stamp {
	private int offset; // of the instruction that the reader is at

	/* Calls stamp() before each instruction. */
	private final class Stamper extends MethodVisitor {
		private final String name;

		Stamper(MethodVisitor next, String name) {
			super(Opcodes.ASM9, next);
			this.name = name;
		}

		private void stamp() {
			super.visitLdcInsn(name);
			super.visitLdcInsn(offset);
			super.visitMethodInsn(Opcodes.INVOKESTATIC, "Stamped", "at",
					      "(Ljava/lang/String;I)V", false);
		}

		@Override public void visitInsn(int op) { stamp(); super.visitInsn(op); }
		@Override public void visitIntInsn(int op, int value) { stamp(); super.visitIntInsn(op, value); }
		@Override public void visitVarInsn(int op, int local) { stamp(); super.visitVarInsn(op, local); }
		@Override public void visitTypeInsn(int op, String type) { stamp(); super.visitTypeInsn(op, type); }
		@Override public void visitFieldInsn(int op, String owner, String field, String type) {
			stamp();
			super.visitFieldInsn(op, owner, field, type);
		}
		@Override public void visitMethodInsn(int op, String owner, String method, String type, boolean isInterface) {
			stamp();
			super.visitMethodInsn(op, owner, method, type, isInterface);
		}
		@Override public void visitInvokeDynamicInsn(String method, String type, Handle handle, Object... more) {
			stamp();
			super.visitInvokeDynamicInsn(method, type, handle, more);
		}
		@Override public void visitJumpInsn(int op, Label to) { stamp(); super.visitJumpInsn(op, to); }
		@Override public void visitLdcInsn(Object value) { stamp(); super.visitLdcInsn(value); }
		@Override public void visitIincInsn(int local, int by) { stamp(); super.visitIincInsn(local, by); }
		@Override public void visitTableSwitchInsn(int low, int high, Label other, Label... to) {
			stamp();
			super.visitTableSwitchInsn(low, high, other, to);
		}
		@Override public void visitLookupSwitchInsn(Label other, int[] keys, Label[] to) {
			stamp();
			super.visitLookupSwitchInsn(other, keys, to);
		}
		@Override public void visitMultiANewArrayInsn(String type, int dimensions) {
			stamp();
			super.visitMultiANewArrayInsn(type, dimensions);
		}
	}

	/* Tells the offset of each instruction before it is visited. */
	private final class Reader extends ClassReader {
		Reader(byte[] bytes) { super(bytes); }

		@Override protected void readBytecodeInstructionOffset(int at) { offset = at; }
	}

	byte[] stamp(byte[] bytes) {
		ClassReader reader = new Reader(bytes);
		ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
		String type = reader.getClassName().replace('/', '.');

		reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
			@Override public MethodVisitor visitMethod(int access, String name, String signature, String generic, String[] thrown) {
				MethodVisitor next = super.visitMethod(access, name, signature, generic, thrown);

				return new Stamper(next, type + "." + name + signature);
			}
		}, 0);
		return writer.toByteArray();
	}

	public static void main(String[] args) throws IOException {
		try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of(args[0]), "*.class")) {
			for (Path path : all)
				Files.write(Path.of(args[1]).resolve(path.getFileName()),
					    new Stamp().stamp(Files.readAllBytes(path)));
		}
	}
}
